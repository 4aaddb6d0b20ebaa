//! The environments of the budget paper.

use agent_benchmarks::{
    Seed,
    play::{Environment, Play},
    sokoban::{Room, RoomSettings, Sokoban},
    warehouse::{STEPS, Start, Warehouse},
};

use crate::{Sample, Samples, requests, text};

const PUBLISHED: &str = "mll-lab-nu/BAGEN, its environments: --published, bagen_texts.json";

pub(crate) fn samples() -> Samples {
    let tokens = [("total_tokens", Some(2500.0))];
    let rooms = Play::new().with_questions(&tokens, false);
    let room = Sokoban::new(Room::generate(&RoomSettings::TRAINING, 123)?);
    let all: Vec<_> = Warehouse::RESOURCES.iter().map(|name| (*name, None)).collect();
    let market = Play::new().with_most_turns(STEPS).with_questions(&all, false);
    let warehouse = Warehouse::new(Start::Empty, Seed(123));
    let push = [text("<answer>Up</answer>"), text("<answer>[200, 900]</answer>")];
    let order = [
        text("<answer>produce JCA374 2 air</answer>"),
        text(
            "<answer>time_weeks:[18, 20], warehouse_item_weeks:[2000, 9000], cumulative_cost_usd:[90000, 400000]</answer>",
        ),
    ];
    Ok(vec![
        Sample {
            name: "sokoban",
            title: "Sokoban, with a question after a turn (--ask)",
            published: PUBLISHED,
            requests: requests(rooms.conversation("123", room)?, push)?,
        },
        Sample {
            name: "warehouse",
            title: "The warehouse, with a question after a turn (--ask)",
            published: PUBLISHED,
            requests: requests(market.conversation("123", warehouse)?, order)?,
        },
    ])
}
