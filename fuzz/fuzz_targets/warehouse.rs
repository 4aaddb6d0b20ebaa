//! Actions of a model in the warehouse, one line a step: cash and worth change by the flows that are reported, no unit is lost,
//! and what is refused changes nothing.

#![no_main]

use agent_benchmarks::{
    Seed,
    warehouse::{Action, Cents, Demand, Game, Retailer, Sku, Start},
};
use libfuzzer_sys::fuzz_target;

fn units(game: &Game) -> i64 {
    let places = || Retailer::ALL.map(Some).into_iter().chain([None]);
    let of = |sku| {
        let there = places().map(|it| game.stock(it, sku) + game.in_transit(it, sku));
        there.sum::<i64>() + game.in_production(sku)
    };
    Sku::ALL.map(of).iter().sum()
}

fuzz_target!(|input: (u8, &str)| {
    let (first, text) = input;
    let start = if first % 2 == 0 { Start::Empty } else { Start::Stocked };
    let seed = Seed(u64::from(first / 2));
    let mut game = Game::new(start, Demand::draw(start, seed), seed);
    for line in text.lines() {
        let (cash, worth, before) = (game.cash(), game.worth(), units(&game));
        for part in line.split(';').take(100) {
            let unchanged = game.clone();
            let action = part.trim().parse::<Action>();
            if let Ok(action) = action {
                assert_eq!(action.to_string().parse(), Ok(action));
            }
            if action.and_then(|action| game.act(action)).is_err() {
                assert_eq!(game, unchanged);
            }
        }
        let flows = game.advance();
        assert_eq!(game.cash() - cash, flows.cash());
        assert_eq!(game.worth() - worth, flows.worth());
        assert_eq!(units(&game) - before, flows.ordered - flows.sold);
        assert!(game.credit() >= Cents::ZERO && game.credit_left() >= Cents::ZERO);
        assert!(game.receivables() >= Cents::ZERO);
        assert!(units(&game) >= 0);
    }
});
