use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};
use run_logs::Reply;
use scoring_rules::{Probability, Seed};
use trajectory_metrics::random::unit;

use crate::{
    play::{
        conversation::PlayConversation,
        environment::{Acted, End, Environment, answer, thoughts_and_answer},
    },
    sokoban::{
        room::{Direction, Game, Room},
        solver::Need,
        texts::{Texts, Words},
    },
    values::{macros::setters, template::Template},
};

/// The separator between actions of a reply.
const BETWEEN: &str = "||";
/// The penalty for a reply without an action or with a word that is no action.
const PENALTY: f64 = -0.1;
/// The number of states after which the search for the least remaining steps stops without a result.
const MOST_STATES: usize = 100_000;
/// Tags and marks that are removed from an answer.
const MARKS: &str = include_str!("marks.txt");

/// Sokoban as in BAGEN's evaluation. A turn has up to three actions, which are separated by `||`; a run has up to 30
/// actions.
///
/// A turn shows coordinates and grid. Of an answer, the first three parts count. A part that is no direction is skipped and costs
/// 0.1 for the turn, like an answer without a direction. Turns spend `steps`. The forms of turns and rewards are the released
/// ones; the words come from [`Texts`].
///
/// Reference: Lin and others (2026), BAGEN, arXiv:2606.00198, section 4 and appendix I; the released
/// `ragen/llm_agent/{ctx_manager,es_manager}.py`.
///
/// ```
/// use agent_benchmarks::{Error, play::{End, Environment}, sokoban::{Room, Sokoban}};
///
/// let mut sokoban = Sokoban::new(Room::parse("######\n#P_XO#\n######")?);
/// let acted = sokoban.act(&"<think>It is right there.</think><answer>Right || jump || RIGHT</answer>".into());
/// let problem = "\"jump\" is no action; the directions are Up, Down, Left, Right".to_owned();
/// assert_eq!((acted.n_actions, acted.penalty, acted.problems), (2, -0.1, vec![problem]));
/// assert_eq!((acted.reward, sokoban.end()), (10.8, Some(End::Succeeded)));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Sokoban {
    game: Game,
    most_actions_of_a_turn: usize,
    most_actions: usize,
    tells_limits: bool,
    texts: Texts,
    n_turns: usize,
    n_actions: usize,
    /// The reward of the latest turn, and the number of its actions.
    latest: Option<(f64, usize)>,
    is_warned: bool,
}

impl Sokoban {
    /// Creates a run in this room with the limits of the evaluation. As in the evaluation, turns do not state the
    /// number of actions that are left.
    #[must_use]
    pub fn new(room: Room) -> Self {
        Self {
            game: Game::new(room),
            most_actions_of_a_turn: 3,
            most_actions: 30,
            tells_limits: false,
            texts: Texts::default(),
            n_turns: 0,
            n_actions: 0,
            latest: None,
            is_warned: false,
        }
    }

    setters! {
        /// Sets the maximum number of actions in a turn; further actions are ignored.
        with_most_actions_of_a_turn(most_actions_of_a_turn: usize);

        /// Sets the maximum number of actions of a run.
        with_most_actions(most_actions: usize);

        /// Sets whether turns are numbered and state the number of remaining actions, as in training. The evaluation does not do
        /// this.
        with_limits_told(tells_limits: bool);

        /// Sets the texts for the model.
        with_texts(texts: Texts);
    }

    /// Returns the game in its current state.
    #[must_use]
    pub const fn game(&self) -> &Game {
        &self.game
    }

    /// Returns the least steps to the solution; none solve the room if they are more than the limits leave.
    pub(super) fn least_steps(&self, turns_left: usize) -> Need {
        let actions_left = self.most_actions.saturating_sub(self.n_actions);
        let most = actions_left.min(turns_left.saturating_mul(self.most_actions_of_a_turn));
        match self.game.room().least_steps(MOST_STATES) {
            Need::Steps(plan) if plan.len() > most => Need::Unsolvable,
            need => need,
        }
    }

    const fn words(&self) -> &Words<Template> {
        if self.tells_limits { &self.texts.training } else { &self.texts.evaluation }
    }

    fn fill(&self, text: &Template) -> String {
        let fact = |name: &str| match (name, self.latest) {
            ("most_actions_of_a_turn", _) => self.most_actions_of_a_turn.to_string(),
            ("most_actions", _) => self.most_actions.to_string(),
            ("actions_left", _) => self.most_actions.saturating_sub(self.n_actions).to_string(),
            // The form in which Python writes a sum without terms.
            (_, Some((_, 0))) => "0".to_owned(),
            (_, Some((reward, _))) => format!("{reward:?}"),
            (_, None) => String::new(),
        };
        text.fill(|name| fact(name).into())
    }
}

/// Returns the text between tags without the marks that the released code removes.
fn without_marks(text: &str) -> String {
    let take_out = |text: String, mark: &str| text.replace(mark, "").trim().to_owned();
    MARKS.lines().fold(text.to_owned(), take_out)
}

/// Returns the parts of an answer that are actions or meant to be.
fn actions(content: &str) -> impl Iterator<Item = &str> {
    content.split(BETWEEN).map(str::trim).filter(|part| !part.is_empty())
}

impl Environment for Sokoban {
    const RESOURCES: &'static [&'static str] = &["steps"];

    fn instruction(&self) -> String {
        self.fill(&self.words().instruction)
    }

    fn observation(&self) -> String {
        let words = self.words();
        let line = |is_shown: bool, text| match is_shown {
            true => format!("{}\n", self.fill(text)),
            false => String::new(),
        };
        let earned = line(self.latest.is_some(), &words.reward);
        let turn = match self.tells_limits {
            true => format!("Turn {}:\n", self.n_turns + 1),
            false => String::new(),
        };
        let warning = line(self.is_warned, &words.warning);
        let sentence = line(true, &words.sentence);
        format!("{earned}\n{turn}State:\n{}\n{warning}{sentence}", self.game.room().observation())
    }

    /// Returns the reply as later requests repeat it. With published texts, it has the form of the released code: only
    /// thoughts and answer, without omitted actions.
    fn repeated(&self, reply: &str) -> Option<String> {
        if !self.texts.is_published {
            return None;
        }
        let Some(parts) = thoughts_and_answer(reply) else {
            let begins = reply.trim_start().starts_with("<think>");
            return Some(format!("{}{reply}", if begins { "" } else { "<think>" }));
        };
        let [thoughts, mut content] = parts.map(without_marks);
        let most = self.most_actions_of_a_turn;
        if actions(&content).count() > most {
            content = actions(&content).take(most).collect::<Vec<_>>().join(" || ");
        }
        Some(format!("<think>{thoughts}</think><answer>{content}</answer>"))
    }

    fn act(&mut self, reply: &Reply) -> Acted {
        let mut acted = Acted::default();
        let content = without_marks(answer(&reply.text).unwrap_or_default());
        let mut directions = Vec::new();
        let mut left_out = 0;
        for (at, part) in actions(&content).enumerate() {
            if at >= self.most_actions_of_a_turn {
                left_out += 1;
                continue;
            }
            let lower = part.to_lowercase();
            match Direction::ALL.into_iter().find(|it| it.name().to_lowercase() == lower) {
                Some(direction) => directions.push(direction),
                None => {
                    let part: String = part.chars().take(40).collect();
                    let known = Direction::ALL.map(Direction::name).join(", ");
                    acted
                        .problems
                        .push(format!("{part:?} is no action; the directions are {known}"));
                }
            }
        }
        if directions.is_empty() && acted.problems.is_empty() {
            acted.problems.push("no action between <answer> and </answer>".to_owned());
        }
        if !acted.problems.is_empty() {
            acted.penalty = PENALTY;
        }
        if left_out > 0 {
            let most = self.most_actions_of_a_turn;
            acted.problems.push(format!("{left_out} actions beyond the first {most} are left out"));
        }
        self.is_warned = directions.is_empty();
        acted.is_read = !directions.is_empty();
        for direction in directions {
            if self.end().is_some() {
                break;
            }
            acted.reward += self.game.step(direction).reward;
            acted.n_actions += 1;
            self.n_actions += 1;
        }
        acted.spent = vec![acted.n_actions as f64];
        self.latest = Some((acted.reward, acted.n_actions));
        self.n_turns += 1;
        acted
    }

    fn end(&self) -> Option<End> {
        let is_solved = self.game.has_ended() && self.game.room().is_solved();
        let is_over = self.game.has_ended() || self.n_actions >= self.most_actions;
        match () {
            () if is_solved => Some(End::Succeeded),
            () if is_over => Some(End::AtLimit),
            () => None,
        }
    }
}

/// The number of actions in a turn, equal to the number that the released evaluation takes.
const ACTIONS: usize = 3;
/// The number of states after which the search for a plan stops.
const MOST_STATES_OF_A_PLAN: usize = 1_000_000;

/// Creates a player that solves a room in the least number of steps and writes its replies like a model. Each step is
/// replaced by a random one with probability `mistakes`.
///
/// Asked for the remaining cost, the player expects the least number of remaining steps, and for other resources the
/// average cost of a turn times the number of turns for these steps. It answers with 0.8 to 1.25 times this cost, or
/// with `impossible` if no steps solve the room within the limits.
///
/// ```
/// use agent_benchmarks::{Error, Probability, Seed, play::{Play, play}};
/// use agent_benchmarks::sokoban::{Room, RoomSettings, Sokoban, solver};
///
/// let room = Room::generate(&RoomSettings::EVALUATION, 123)?;
/// let run = Play::new().conversation("123", Sokoban::new(room))?;
/// assert!(play(run, solver(Probability::ZERO, Seed(1)))?.succeeded);
/// # Ok::<(), Error>(())
/// ```
pub fn solver(
    mistakes: Probability,
    seed: Seed,
) -> impl FnMut(&PlayConversation<Sokoban>) -> String {
    let mut rng = ChaCha8Rng::seed_from_u64(seed.0);
    move |run| if run.is_asking() { expected(run) } else { turn(run, mistakes, &mut rng) }
}

fn turn(run: &PlayConversation<Sokoban>, mistakes: Probability, rng: &mut ChaCha8Rng) -> String {
    let mut room = run.environment().game().room().clone();
    let plan = match room.least_steps(MOST_STATES_OF_A_PLAN) {
        Need::Steps(plan) => plan,
        Need::Unknown | Need::Unsolvable => Vec::new(),
    };
    let mut plan = plan.into_iter();
    let mut steps = Vec::with_capacity(ACTIONS);
    while steps.len() < ACTIONS && !room.is_solved() {
        let any = Direction::ALL[(rng.next_u32() >> 30) as usize];
        let is_mistake = unit(rng) < mistakes.get();
        let planned = plan.next();
        let step = planned.filter(|_| !is_mistake).unwrap_or(any);
        room.step(step);
        steps.push(step.name());
        // The rest of the plan assumes that every planned step was made.
        if planned.is_some_and(|planned| planned != step) {
            break;
        }
    }
    format!("<answer>{}</answer>", steps.join(" || "))
}

fn expected(run: &PlayConversation<Sokoban>) -> String {
    let steps = match run.environment().least_steps(run.turns_left()) {
        Need::Unsolvable => return "<answer>impossible</answer>".to_owned(),
        Need::Steps(plan) => plan.len() as f64,
        Need::Unknown => return "The least steps that are left are not known.".to_owned(),
    };
    let turns = (steps / ACTIONS as f64).ceil();
    run.answer_around(|name, spent| match name {
        "steps" => steps,
        _ => turns * spent / run.turns().len().max(1) as f64,
    })
}
