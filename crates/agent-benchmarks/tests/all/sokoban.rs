//! Rooms, rules and rewards of Sokoban as BAGEN's evaluation plays it.

use std::collections::BTreeMap;

use agent_benchmarks::{
    Error,
    sokoban::{Direction, Game, Room, RoomSettings},
};
use proptest::prelude::*;

#[derive(serde::Deserialize)]
struct Rooms {
    size: [usize; 2],
    boxes: usize,
    depth: u32,
    rooms: BTreeMap<u32, Option<String>>,
}

#[derive(serde::Deserialize)]
struct Recorded {
    evaluation: Rooms,
    training: Rooms,
    other: Rooms,
}

#[test]
fn rooms_are_those_of_the_released_generator_to_the_cell() {
    let text = include_str!("../golden/sokoban/rooms.json");
    let Recorded { evaluation, training, other } = serde_json::from_str(text).unwrap();
    let of =
        |rooms: &Rooms| RoomSettings { size: rooms.size, boxes: rooms.boxes, depth: rooms.depth };
    assert_eq!(
        [of(&evaluation), of(&training)],
        [RoomSettings::EVALUATION, RoomSettings::TRAINING]
    );
    let mut made = 0;
    for rooms in [evaluation, training, other] {
        for (seed, want) in &rooms.rooms {
            let found = Room::generate(&of(&rooms), *seed);
            match (found, want) {
                (Ok(room), Some(want)) => {
                    assert_eq!(room.to_string(), *want, "seed {seed}");
                    made += 1;
                }
                (Err(Error::NoRoom { seed: named, .. }), None) => assert_eq!(named, *seed),
                (found, want) => panic!("seed {seed}: {found:?} for {want:?}"),
            }
        }
    }
    assert!(made >= 190, "{made}");
}

#[test]
fn texts_of_rooms_are_read_back_and_wrong_ones_are_refused() {
    let room = Room::generate(&RoomSettings::EVALUATION, 124).unwrap();
    assert_eq!(Room::parse(&room.to_string()).unwrap(), room);
    assert_eq!(Room::parse(&room.to_xsb()).unwrap(), room);
    // What lies outside is no column, in whatever sign it is written.
    for outside in ["-", "_", " ", "\t", "-_ "] {
        let found = Room::parse(&format!("#####{outside}\n#PXO#\n#####")).unwrap();
        assert_eq!(found.to_xsb(), "#####\n#@$.#\n#####");
    }
    for (text, line, problem) in [
        ("#####\n#P?O#\n#####", 2, "'?' is no cell"),
        ("#####\n#_XO#\n#####", 0, "0 players"),
        ("#####\n#PXP#\n#####", 0, "2 players"),
        ("#####\n#PX_#\n#####", 0, "1 boxes for 0 targets"),
        ("#####\n#P_O#\n#####", 0, "0 boxes for 1 targets"),
        ("#####\n_PXO#\n#####", 0, "the player can leave the room"),
        ("", 0, "0 players"),
    ] {
        let error = Room::parse(text).unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("line {line} of the room: {problem}")),
            "{text}: {error}"
        );
    }
    let wide = "#".repeat(65);
    assert!(matches!(Room::parse(&wide), Err(Error::Invalid { .. })));
}

#[test]
fn a_room_is_shown_as_the_released_code_shows_it() {
    let room = Room::parse("######\n#S√X_#\n#_OX_#\n######").unwrap();
    let want = "Coordinates: \nBoard size: 4 rows x 6 cols (zero-indexed).\nTargets: (1, 1), (1, 2), (2, 2)\n\
                Boxes: (1, 3), (2, 3)\nBoxes on target: (1, 2)\nPlayer on target: (1, 1)\nGrid Map: \n\
                ######\n#S√X_#\n#_OX_#\n######";
    assert_eq!(room.observation(), want);
}

#[test]
fn rewards_are_those_of_the_released_environment() {
    // The box goes onto the target, off it, and back.
    let mut game = Game::new(Room::parse("#######\n#PXO__#\n#__X_O#\n#_____#\n#######").unwrap());
    let mut total = 0.0;
    let mut go = |direction| {
        let effect = game.step(direction);
        total += effect.reward;
        effect
    };
    assert!((go(Direction::Right).reward - 0.9).abs() < 1e-12);
    assert!((go(Direction::Right).reward + 1.1).abs() < 1e-12);
    assert!((go(Direction::Up).reward + 0.1).abs() < 1e-12);
    assert!(!go(Direction::Up).is_effective);
    assert!((total + 0.4).abs() < 1e-12);
    // A hundred steps end the game.
    let mut game = Game::new(Room::parse("#####\n#PXO#\n#####").unwrap());
    for _ in 0..100 {
        assert!(!game.has_ended());
        game.step(Direction::Up);
    }
    assert!(game.has_ended() && game.step(Direction::Right).reward == 0.0);
}

proptest! {
    #[test]
    fn no_step_makes_a_box_vanish(seed in 0_u32..2_000, steps in prop::collection::vec(0_usize..4, 0..80)) {
        let Ok(mut room) = Room::generate(&RoomSettings::TRAINING, seed) else { return Ok(()) };
        let ground = |room: &Room| room.to_xsb().replace(['@', '$', ' '], "_").replace(['+', '*', '.'], "O");
        let (boxes, before) = (room.n_boxes(), ground(&room));
        for step in steps {
            let was = room.clone();
            let has_moved = room.step(Direction::ALL[step]);
            prop_assert_eq!(has_moved, room != was);
            prop_assert_eq!((room.n_boxes(), ground(&room)), (boxes, before.clone()));
            prop_assert_eq!(Room::parse(&room.to_xsb()), Ok(room.clone()));
        }
    }
}
