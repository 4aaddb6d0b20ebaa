#!/usr/bin/env python3
"""Writes 60 questions with two options each, for models that can choose a letter but hardly follow a longer form:

    python3 examples/data/choice_questions.py > examples/data/choice_questions.jsonl

Which option is right alternates within each kind, so that a model that always takes one letter is right half the time."""

import json

LARGER = [(97, 12), (31, 78), (640, 225), (19, 91), (83, 38), (14, 41), (1000, 999), (250, 520), (77, 7), (66, 99)]
LARGER += [(5, 2), (8, 13), (404, 44), (15, 51), (72, 27), (360, 630), (90, 9), (45, 54), (803, 308), (21, 112)]
CAPITALS = [("France", "Paris", "Madrid"), ("Japan", "Tokyo", "Seoul"), ("Italy", "Rome", "Vienna")]
CAPITALS += [("Egypt", "Cairo", "Lagos"), ("Kenya", "Nairobi", "Accra"), ("Peru", "Lima", "Quito")]
CAPITALS += [("Canada", "Ottawa", "Toronto"), ("Australia", "Canberra", "Sydney"), ("Norway", "Oslo", "Bergen")]
CAPITALS += [("Turkey", "Ankara", "Istanbul"), ("Brazil", "Brasilia", "Santos"), ("Spain", "Madrid", "Seville")]
CAPITALS += [("Poland", "Warsaw", "Cracow"), ("Greece", "Athens", "Patras"), ("Cuba", "Havana", "Kingston")]
CAPITALS += [("Ireland", "Dublin", "Cork"), ("Hungary", "Budapest", "Prague"), ("Iran", "Tehran", "Baghdad")]
CAPITALS += [("Chile", "Santiago", "Bogota"), ("Portugal", "Lisbon", "Porto")]
THINGS = [("a fruit", "plum", "oak"), ("an animal", "horse", "table"), ("a colour", "green", "seven")]
THINGS += [("a metal", "iron", "paper"), ("a bird", "eagle", "shark"), ("a planet", "Mars", "London")]
THINGS += [("a river", "Nile", "Everest"), ("a month", "June", "Monday"), ("a vegetable", "carrot", "chair")]
THINGS += [("a fish", "salmon", "sparrow"), ("a language", "Spanish", "Spain"), ("a drink", "tea", "bread")]
THINGS += [("a tree", "pine", "rose"), ("a gas", "oxygen", "copper"), ("a sport", "tennis", "violin")]
THINGS += [("a tool", "hammer", "cloud"), ("an insect", "ant", "whale"), ("a shape", "circle", "purple")]
THINGS += [("a continent", "Africa", "Brazil"), ("an organ", "heart", "shoe")]

questions = [(f"larger-{i}", "Which number is larger?", str(max(pair)), str(min(pair))) for i, pair in enumerate(LARGER)]
questions += [(f"capital-{i}", f"What is the capital of {land}?", yes, no) for i, (land, yes, no) in enumerate(CAPITALS)]
questions += [(f"thing-{i}", f"Which of the two is {kind}?", yes, no) for i, (kind, yes, no) in enumerate(THINGS)]
for i, (name, question, yes, no) in enumerate(questions):
    options, answer = ([yes, no], "A") if i % 2 == 0 else ([no, yes], "B")
    print(json.dumps({"id": name, "question": question, "options": options, "answer": answer}))
