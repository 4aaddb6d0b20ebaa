//! The warehouse: the recovered step, the rules, the books, policies and probes.

use agent_benchmarks::{
    Conversation, Error, Request, Seed, StopReason, Value,
    budget::{Budget, ResourceKind},
    budget_estimation::{Estimate, bagen::ProbeMethod},
    converse,
    play::{End, Environment, Play, PlayRecord, play, rollouts},
    warehouse::{
        Action, Cents, Demand, Flows, Freight, Game, Refusal, Retailer, STEPS, Sku, Start,
        Warehouse, base_stock, probed_rollouts,
    },
};
use proptest::prelude::*;

/// What the recovered step asked for, by retailer and product, in each of the steps.
fn recovered() -> Demand {
    Demand::new(
        [[
            [367, 417, 488, 170, 0],
            [1501, 2374, 2215, 1635, 1569],
            [693, 855, 346, 2136, 627],
            [629, 291, 307, 617, 710],
            [523, 490, 801, 537, 164],
        ]; STEPS],
    )
}

fn golden(text: &str) -> &str {
    let (origin, text) = text.split_once('\n').unwrap();
    assert!(origin.starts_with("# origin: "), "{origin}");
    text
}

fn cents(dollars: f64) -> Cents {
    Cents::new((dollars * 100.0).round() as i64)
}

fn drawn(start: Start, seed: u64) -> Game {
    Game::new(start, Demand::draw(start, Seed(seed)), Seed(seed))
}

#[test]
fn the_recovered_step_closes_to_the_cent() {
    let mut game = Game::new(Start::Stocked, recovered(), Seed(1));
    let stock: i64 = Sku::ALL.map(|sku| game.stock(None, sku)).iter().sum();
    assert_eq!((stock, game.cash()), (65_348, cents(500_000.0)));
    let flows = game.advance();
    assert_eq!(flows.revenue, cents(865_821.38));
    assert_eq!((flows.holding, flows.opex), (cents(45_743.60), cents(16_000.0)));
    assert_eq!((flows.reward(), flows.item_weeks), (cents(804_077.78), 198_660));
    assert_eq!((game.cash(), game.receivables()), (cents(438_256.40), cents(865_821.38)));
    assert_eq!(flows.spent(), cents(61_743.60));
    assert_eq!((flows.stockout, flows.overstock), (Cents::ZERO, Cents::ZERO));
}

#[test]
fn both_recovered_messages_come_out_as_they_are() {
    let game = Game::new(Start::Stocked, recovered(), Seed(1));
    let mut warehouse = Warehouse::with_game(game);
    assert_eq!(warehouse.observation(), golden(include_str!("../golden/warehouse/step_0.txt")));
    warehouse.act(&"<think>Nothing has been asked for yet.</think><answer>pass</answer>".into());
    // Except for the error of the released code's floating-point numbers.
    let want = golden(include_str!("../golden/warehouse/step_1.txt"));
    let want = want.replacen("804077.7799999999", "804077.78", 1);
    assert_eq!(warehouse.observation(), want);
}

/// A factory's order by day, to the cent.
#[test]
fn an_order_is_paid_made_shipped_delivered_sold_and_collected_on_its_days() -> Result<(), Refusal> {
    let mut units = [[[0; 5]; 5]; STEPS];
    units.iter_mut().for_each(|step| step[1][2] = 150);
    let mut game = Game::new(Start::Empty, Demand::new(units), Seed(3));
    let cable = Sku::Jca374;
    let mut cash = game.cash();
    let mut step = |game: &mut Game, change: f64| {
        let flows = game.advance();
        cash += cents(change);
        assert_eq!(game.cash(), cash, "{flows:?}");
        flows
    };
    // Three lots of 1,000 at 5.50 less 15 % are 14,025: 4,207.50 at once.
    game.act("produce JCA374 3 air".parse()?)?;
    step(&mut game, -4_207.50 - 16_000.0);
    // Complete on day 25: the other 9,817.50, and 3,000 units of 120 g at 6.50 a kg.
    assert_eq!((game.in_production(cable), game.in_transit(None, cable)), (3_000, 0));
    let flows = step(&mut game, -9_817.50 - 2_340.0 - 16_000.0);
    assert_eq!((flows.discounts, flows.sold), (cents(2_475.0), 0));
    // 150 units for 13.20 that were asked for.
    assert_eq!(flows.stockout, cents(0.05 * 150.0 * 13.20));
    assert_eq!((game.in_production(cable), game.in_transit(None, cable)), (0, 3_000));
    step(&mut game, -16_000.0 - 2.0 * 0.35 * 3_000.0);
    assert_eq!((game.day(), game.stock(None, cable)), (42, 3_000));
    assert_eq!(game.ending_value(), game.cash() + cents(3_000.0 * 5.5));
    // A truck takes 200 units.
    game.act("replenish TechZone JCA374 2".parse()?)?;
    assert_eq!(game.in_transit(Some(Retailer::TechZone), cable), 400);
    let flows = step(&mut game, -360.0 - 16_000.0 - 0.7 * 2_600.0);
    assert_eq!((flows.revenue, flows.cost_of_sales), (cents(1_980.0), cents(825.0)));
    assert_eq!((game.stock(Some(Retailer::TechZone), cable), flows.item_weeks), (250, 5_700));
    // Sold by day 56, paid on day 86, which is in the step that ends on day 98.
    step(&mut game, -16_000.0 - 0.7 * 2_600.0);
    step(&mut game, -16_000.0 - 0.7 * 2_600.0);
    step(&mut game, 1_980.0 - 16_000.0 - 0.7 * 2_600.0);
    assert_eq!(game.receivables(), cents(1_980.0 + 100.0 * 13.20));
    Ok(())
}

/// Completion after 25 and 32 days, and 28 to 36 or 5 to 7 days on the way.
#[test]
fn ships_take_28_to_36_days_and_aeroplanes_5_to_7() -> Result<(), Refusal> {
    let mut early = 0;
    for seed in 0..60 {
        let mut game = drawn(Start::Empty, seed);
        game.act("produce JCD543 1 ocean".parse()?)?;
        game.act("produce JCA374 1 ocean".parse()?)?;
        game.act("produce JUA365 1 air".parse()?)?;
        let mut stocks = Vec::new();
        for _ in 0..5 {
            game.advance();
            stocks.push([Sku::Jcd543, Sku::Jca374, Sku::Jua365].map(|sku| game.stock(None, sku)));
        }
        // On days 28 and 42: an adapter is complete on day 30.
        assert_eq!(stocks[1..3], [[0, 0, 0], [0, 0, 500]]);
        // On day 56, no hub, and cables of at most 31 days; on day 70, everything.
        assert_eq!((stocks[3][0], stocks[4]), (0, [500, 1_000, 500]));
        early += i64::from(stocks[3][1] > 0);
    }
    // Four of nine days are at most 31: 27 of 60, with a standard deviation of 4.
    assert!((11..43).contains(&early), "{early}");
    Ok(())
}

#[test]
fn an_order_waits_until_cash_suffices() -> Result<(), Refusal> {
    let mut game = Game::new(Start::Empty, Demand::new([[[0; 5]; 5]; STEPS]), Seed(3));
    // Deposits are 30 % of 0.85 x 2,700 x 3,600: two-hundredths of all cash are left after 33 of 900 docks each.
    let dock = "produce JCD612 3 ocean".parse()?;
    let mut orders = 0;
    while game.act(dock).is_ok() {
        orders += 1;
    }
    let deposit = cents(0.3 * 0.85 * 900.0 * 36.0);
    let error = game.act(dock).unwrap_err();
    assert_eq!(error, Refusal::CashShort { needed: deposit, available: game.cash() });
    assert_eq!(game.flows().ordered, orders * 900);
    for _ in 0..4 {
        game.advance();
    }
    // Complete after day 45, and still there.
    assert_eq!(game.in_production(Sku::Jcd612), orders * 900);
    // With 19,278 of balance and 1,215 of freight, one of them goes as soon as there is money.
    let before = game.cash();
    game.act(Action::DrawCredit(cents(100_000.0)))?;
    game.advance();
    let gone = (before + cents(100_000.0)).dollars() / (19_278.0 + 1_215.0);
    assert_eq!(game.in_production(Sku::Jcd612), (orders - gone.max(0.0) as i64) * 900);
    Ok(())
}

#[test]
fn credit_and_receivables_have_their_prices() -> Result<(), Refusal> {
    let mut game = Game::new(Start::Stocked, recovered(), Seed(1));
    game.act("draw_credit 50,000".parse()?)?;
    assert_eq!(game.advance().interest, cents(400.0));
    game.act("repay_credit $20000.50".parse()?)?;
    game.act("factor_ar 100000".parse()?)?;
    assert_eq!((game.credit(), game.credit_left()), (cents(29_999.5), cents(170_000.5)));
    assert_eq!(game.cash(), cents(438_256.4 + 50_000.0 - 400.0 - 20_000.5 + 95_000.0));
    assert_eq!(game.flows().factoring_fee, cents(5_000.0));
    assert_eq!(game.receivables(), cents(765_821.38));
    let refused = |action: &str| game.clone().act(action.parse().unwrap()).unwrap_err();
    for (action, available) in [
        ("draw_credit 170000.51", 170_000.5),
        ("repay_credit 30000", 29_999.5),
        ("factor_ar 900000", 765_821.38),
    ] {
        let found = refused(action);
        assert!(
            matches!(found, Refusal::TooMuch { available: it, .. } if it == cents(available)),
            "{action}: {found}"
        );
    }
    // What was sold is what would have been paid last, and the rest is due as before.
    assert_eq!(
        [0; 3].map(|_| game.advance().collected),
        [Cents::ZERO, Cents::ZERO, cents(765_821.38)]
    );
    Ok(())
}

#[test]
fn cash_below_zero_costs_a_penalty_and_below_the_floor_ends_the_run() -> Result<(), Refusal> {
    let mut game = Game::new(Start::Stocked, Demand::new([[[0; 5]; 5]; STEPS]), Seed(1));
    while game.act("produce JCA374 3 air".parse()?).is_ok() {}
    let first = game.advance();
    assert!(game.cash() < Cents::ZERO && first.bankruptcy == cents(50_000.0));
    assert_eq!(first.reward(), cents(-45_743.60 - 16_000.0 - 50_000.0 - 3_276.0));
    // The penalty is one of the reward and takes no cash.
    assert_eq!(
        game.worth().dollars(),
        (drawn(Start::Stocked, 1).worth() + first.worth()).dollars()
    );
    for _ in 0..10 {
        game.advance();
    }
    assert!(game.is_bankrupt() && game.steps() == 4, "{} {}", game.cash(), game.steps());
    assert_eq!(game.act(Action::Pass), Err(Refusal::Ended));
    assert_eq!(game.advance(), Flows::default());
    assert_eq!(Warehouse::with_game(game).end(), Some(End::Failed));
    Ok(())
}

#[test]
fn overstock_is_what_lies_above_95_per_cent_at_the_end_of_a_step() -> Result<(), Refusal> {
    let mut game = Game::new(Start::Stocked, Demand::new([[[0; 5]; 5]; STEPS]), Seed(1));
    // TechZone has 23,652 of 18,000, and no other retailer is above.
    assert_eq!(game.advance().overstock, cents(0.5 * (23_652.0 - 17_100.0)));
    // SD has 6,604 of 7,000; 200 more are 154 above 6,650.
    game.act("replenish supplydirect JUA365 1".parse()?)?;
    let want = 0.5 * (23_652.0 - 17_100.0 + 154.0);
    assert_eq!(game.advance().overstock, cents(want));
    Ok(())
}

#[test]
fn goods_wait_at_the_gate_of_a_full_warehouse() -> Result<(), Refusal> {
    let mut game = Game::new(Start::Stocked, Demand::new([[[0; 5]; 5]; STEPS]), Seed(1));
    let (cable, adapter) = (Sku::Jca374, Sku::Jua365);
    game.act("produce JCA374 1 air".parse()?)?;
    for _ in 0..3 {
        game.advance();
    }
    assert_eq!((game.stock(None, cable), game.in_transit(None, cable)), (12_258, 1_000));
    // 65,348 less 16,252 leave room for 904 units, and 200 docks less for 1,104.
    while game.act("replenish MegaMart JUA365 3".parse()?).is_ok() {}
    assert_eq!(game.stock(None, adapter), 0);
    game.advance();
    assert_eq!((game.stock(None, cable), game.in_transit(None, cable)), (12_258, 1_000));
    game.act("replenish MegaMart JCD612 1".parse()?)?;
    game.advance();
    assert_eq!((game.stock(None, cable), game.in_transit(None, cable)), (13_258, 0));
    Ok(())
}

#[test]
fn words_that_are_no_action_are_refused_with_a_reason() {
    for (text, want) in [
        ("", "not an action; the actions are produce SKU 1-3 ocean|air"),
        ("produce", "not an action"),
        ("produce JCD543 2 ocean now", "not an action"),
        ("sell JCD543 2", "not an action"),
        ("produce JCD999 2 ocean", "\"JCD999\" is not a SKU; known: JCD543, JCD612,"),
        ("produce JCD543 4 ocean", "\"4\" is not a level; known: 1, 2, 3"),
        ("produce JCD543 2 rail", "\"rail\" is not a way to ship; known: ocean, air"),
        ("replenish Acme JCD543 2", "\"Acme\" is not a retailer; known: MegaMart, TechZone"),
        ("replenish SD JCD543 -1", "\"-1\" is not a number of trucks"),
        ("draw_credit", "not an action"),
        ("draw_credit 1e308", "\"1e308\" is not an amount; write dollars above 0 with digits"),
        ("draw_credit -5", "\"-5\" is not an amount"),
        ("draw_credit NaN", "\"NaN\" is not an amount"),
        ("draw_credit 10^30", "\"10^30\" is not an amount"),
        ("draw_credit 0", "\"0\" is not an amount"),
        ("draw_credit 0.001", "\"0.001\" is not an amount"),
        ("draw_credit 9999999999999", "\"9999999999999\" is not an amount"),
        ("draw_credit .5", "\".5\" is not an amount"),
        ("draw_credit 1.+5", "\"1.+5\" is not an amount"),
        ("repay_credit ١٢", "\"١٢\" is not an amount"),
        ("factor_ar inf", "\"inf\" is not an amount"),
    ] {
        let error = text.parse::<Action>().unwrap_err().to_string();
        assert!(error.starts_with(want), "{text}: {error}");
    }
    let mut game = drawn(Start::Empty, 1);
    for action in [
        Action::DrawCredit(Cents::new(-1)),
        Action::RepayCredit(Cents::new(i64::MIN)),
        Action::FactorReceivables(Cents::ZERO),
        Action::DrawCredit(Cents::new(i64::MAX)),
        Action::Produce { sku: Sku::Jcd543, lots: i64::MAX, by: Freight::Air },
        Action::Replenish { retailer: Retailer::ValueCo, sku: Sku::Jcd543, trucks: i64::MIN },
    ] {
        assert!(game.act(action).is_err(), "{action:?}");
    }
    assert_eq!(game, drawn(Start::Empty, 1));
}

#[test]
fn a_reply_does_what_it_can_and_the_next_turn_says_what_it_cannot() -> Result<(), Error> {
    let mut run = Play::new()
        .with_most_turns(STEPS)
        .conversation("1", Warehouse::new(Start::Empty, Seed(1)))?;
    let text = "<think>All at once.</think><answer>PRODUCE jcd543 2 Ocean;; replenish TechZone JCD543 1; fly</answer>";
    run.reply(text.into())?;
    let shown = run.request().unwrap().messages.last().unwrap().text.clone();
    assert!(
        shown.contains(
            "\nNot carried out: \"replenish TechZone JCD543 1\": the warehouse has no JCD543 in stock\n\
             Not carried out: \"fly\": not an action;"
        ),
        "{shown}"
    );
    assert!(shown.contains("0 in stock, 0 in-transit, 1000 in production"), "{shown}");
    assert!(shown.ends_with("overstock penalty $0\nYou have 10 actions left.\n"), "{shown}");
    assert_eq!(run.turns()[0].n_actions, 1);
    run.reply("I pass.".into())?;
    run.reply(format!("<answer>{}</answer>", "pass;".repeat(150)).into())?;
    // An action that the money does not allow is understood.
    run.reply("<answer>draw_credit 300000</answer>".into())?;
    let record = run.finish();
    assert_eq!((record.turns[1].n_actions, record.turns[2].n_actions), (0, 100));
    let events = record.record.events.iter();
    let events: Vec<_> = events.map(|it| (it.turn, it.event.name())).collect();
    let left_out = |turn| (turn, "not_carried_out");
    assert_eq!(events, [left_out(0), left_out(0), (1, "unreadable"), left_out(2), left_out(3)]);
    Ok(())
}

/// Runs of the base-stock player.
fn runs(count: u64) -> Result<Vec<PlayRecord>, Error> {
    let run = |seed: u64| {
        let warehouse = Warehouse::new(Start::Empty, Seed(seed));
        let settings = Play::new().with_most_turns(STEPS);
        play(settings.conversation(&seed.to_string(), warehouse)?, base_stock())
    };
    (0..count).map(run).collect()
}

fn mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.into_iter().collect();
    values.iter().sum::<f64>() / values.len() as f64
}

/// Everything that a game asks for, in units and at wholesale prices.
fn all(demand: &Demand) -> (i64, Cents) {
    let mut all = (0, Cents::ZERO);
    for step in 0..STEPS {
        for retailer in Retailer::ALL {
            for sku in Sku::ALL {
                let asked = i64::from(demand.units(step, retailer, sku));
                all = (all.0 + asked, all.1 + retailer.price(sku) * asked);
            }
        }
    }
    all
}

#[test]
fn the_scale_is_the_printed_one() {
    let weekly = |start: Start| {
        mean((0..128).map(|seed| all(&Demand::draw(start, Seed(seed))).1.dollars() / 22.0))
    };
    let (empty, stocked) = (weekly(Start::Empty), weekly(Start::Stocked));
    println!("dollars a week: {empty:.0}, with goods at the start {stocked:.0}");
    assert!((empty / 116_000.0 - 1.0).abs() < 0.01, "{empty}");
    // The recovered step earned 865,821 in two weeks.
    assert!((stocked / 432_911.0 - 1.0).abs() < 0.02, "{stocked}");
}

/// What the recovered rules leave of a run without an action from the recovered start, whatever its demand is.
#[test]
fn a_passive_run_costs_679_180_and_has_at_least_1_437_656_item_weeks() {
    for seed in 0..8 {
        let mut game = drawn(Start::Stocked, seed);
        let (mut items, mut spent) = (0, Cents::ZERO);
        while !game.has_ended() {
            let flows = game.advance();
            items += flows.item_weeks;
            spent += flows.spent();
        }
        // 11 steps of holding 65,348 units, of 16,000 fixed costs.
        assert_eq!(spent, cents(11.0 * (45_743.60 + 16_000.0)));
        assert!((1_437_656..1_700_000).contains(&items), "{items}");
        assert!((1.8e6..2.4e6).contains(&game.cash().dollars()), "{}", game.cash());
    }
}

#[test]
fn demand_is_that_of_the_series_in_another_order_with_noise() {
    let demands = Vec::from_iter((0..200).map(|seed| Demand::draw(Start::Empty, Seed(seed))));
    let units = demands.iter().map(|demand| all(demand).0 as f64);
    let ideal = mean(demands.iter().map(|it| it.largest_reward().dollars()));
    // Equation 6 by the means over all games.
    let (units, revenue) = (mean(units), mean(demands.iter().map(|it| all(it).1.dollars())));
    let want = revenue - 0.35 * 2.0 * units - 22.0 * 8_000.0;
    assert!((ideal / want - 1.0).abs() < 0.005, "{ideal} {want}");
    // One retailer's demand for one product takes the level of each of its series.
    let first = |demand: &Demand| {
        (0..STEPS).map(|it| demand.units(it, Retailer::TechZone, Sku::Jcd543)).sum::<u32>()
    };
    let sums = Vec::from_iter(demands.iter().map(first));
    let [low, high] = [sums.iter().min(), sums.iter().max()].map(|it| f64::from(*it.unwrap()));
    assert!(low < 22.0 * 215.0 && high > 22.0 * 290.0, "{low} {high}");
    let known = recovered();
    let per_step = 865_821.38 - 0.35 * 2.0 * 20_462.0 - 16_000.0;
    assert_eq!(known.largest_reward(), cents(11.0 * per_step));
}

#[test]
fn the_same_seed_gives_the_same_run_and_another_seed_another() -> Result<(), Error> {
    let some = runs(3)?;
    assert_eq!(some, runs(3)?);
    assert_ne!(some[0].turns, some[1].turns);
    // No player earns more than equation 6.
    for (seed, record) in (0..).zip(&some) {
        let ideal = Demand::draw(Start::Empty, Seed(seed)).largest_reward().dollars();
        assert!((0.0..ideal).contains(&record.reward()), "{seed}");
    }
    Ok(())
}

/// Another number here is a change of values, which CHANGELOG.md has to name.
#[test]
fn the_numbers_of_a_seed_stay_as_they_are() -> Result<(), Error> {
    let demand = Demand::draw(Start::Empty, Seed(1));
    let first = Sku::ALL.map(|sku| demand.units(0, Retailer::TechZone, sku));
    let run = Play::new()
        .with_most_turns(STEPS)
        .conversation("1", Warehouse::new(Start::Stocked, Seed(1)))?;
    let record = play(run, base_stock())?;
    assert_eq!(
        (first, all(&demand)),
        ([709, 422, 526, 586, 371], (59_314, Cents::new(255_122_325)))
    );
    assert_eq!(record.reward(), 8_069_097.8);
    Ok(())
}

#[test]
fn rollouts_have_three_resources_cash_and_probes() -> Result<(), Error> {
    let records = runs(10)?;
    let plain = rollouts::<Warehouse>(&records)?;
    let names = Vec::from_iter(plain.resources().map(|(_, name)| name.to_owned()));
    assert_eq!(names[3..], ["time_weeks", "warehouse_item_weeks", "cumulative_cost_usd"]);
    let time = plain.resource("time_weeks")?;
    assert_eq!(
        (plain.get(0)?.usage(time)?.total(), plain.get(0)?.remaining(time, 3)?),
        (22.0, 16.0)
    );
    for method in [ProbeMethod::Described, ProbeMethod::Released] {
        let (probed, probes) = probed_rollouts(&records, method, Seed(42))?;
        assert_eq!(probes.iter().filter(|probe| probe.reachable).count(), 5);
        let again = probed_rollouts(&records, method, Seed(42))?;
        assert_eq!(again.1, probes);
        for ((rollout, probe), record) in probed.iter().zip(&probes).zip(&records) {
            let cash = record.turns[10].features[0];
            let within = rollout.is_feasible()?;
            assert_eq!(within, probe.reachable);
            assert!(!within || (probe.target <= cash && probe.time_budget == 22.0));
        }
    }
    // A model is asked for all three, and sees cash and target.
    let (probed, probes) = probed_rollouts(&records, ProbeMethod::Described, Seed(42))?;
    let kinds = [ResourceKind::Time, ResourceKind::Space, ResourceKind::Money];
    let asked = Warehouse::RESOURCES.iter().copied().zip(kinds);
    let budget = Budget::new(asked)?.with_cash("cash_usd", "target_cash_usd");
    let instance = budget.instance(&probed, 0)?;
    let cash = format!("{:.0}", records[0].turns[0].features[0]);
    let target = format!("{:.0}", probes[0].target);
    let mut requests = 0;
    let model = |request: &Request| {
        let text = &request.messages.last().unwrap().text;
        requests += 1;
        let shows = text.contains(&target) && (requests > 1 || text.contains(&cash));
        assert!(shows, "{cash} {target}: {text}");
        let text = "<answer>time_weeks:[0, 30], warehouse_item_weeks:[0, 9000000], cumulative_cost_usd:[0, 9000000]</answer>";
        Ok(text.into())
    };
    let record = converse(instance.conversation(), model)?;
    for resource in 0..3 {
        assert_eq!(record.samples(resource).len(), 10);
    }
    Ok(())
}

#[test]
fn a_target_decides_about_success_and_is_told() -> Result<(), Error> {
    let run = |target: f64| -> Result<PlayRecord, Error> {
        let warehouse = Warehouse::new(Start::Stocked, Seed(1)).with_target(Some(cents(target)));
        assert!(warehouse.instruction().contains("cash is at least $"));
        let settings = Play::new().with_most_turns(STEPS);
        play(settings.conversation("1", warehouse)?, |_| "<answer>pass</answer>".to_owned())
    };
    let cash = run(1_000_000.0)?.turns[10].features[0];
    assert_eq!(run(1_000_000.0)?.record.run.scores.len(), 0);
    let [reached, missed] = [run(cash.min(1_999_999.0))?, run(1_999_999.0f64.max(cash + 0.01))?];
    assert_eq!((reached.succeeded, reached.end), (true, Some(End::Succeeded)));
    assert_eq!((missed.succeeded, missed.end), (false, Some(End::Failed)));
    Ok(())
}

#[test]
fn a_run_without_a_target_has_no_outcome_and_its_reward_is_a_score() -> Result<(), Error> {
    for record in runs(3)? {
        let run = &record.record.run;
        assert_eq!(run.outcome, None);
        assert_eq!(run.scores["reward"].value, Value::from(record.reward()));
        assert_eq!(run.stop, Some(StopReason::Completed));
    }
    // A run that was not played to its end has neither.
    let warehouse = Warehouse::new(Start::Empty, Seed(1));
    let begun = Play::new().with_most_turns(STEPS).conversation("1", warehouse)?.finish();
    assert_eq!((begun.record.run.outcome, begun.record.run.scores.len()), (None, 0));
    Ok(())
}

#[test]
fn questions_between_turns_are_about_the_three_resources() -> Result<(), Error> {
    let asks = Warehouse::RESOURCES.iter().map(|name| (*name, None));
    let settings = Play::new().with_most_turns(STEPS).with_questions(&Vec::from_iter(asks), false);
    let run = settings.conversation("1", Warehouse::new(Start::Empty, Seed(1)))?;
    let record = play(run, base_stock())?;
    assert_eq!(record.turns.len(), STEPS);
    for (turn, left) in record.turns[..10].iter().zip((2..22).rev().step_by(2)) {
        // 0.8 to 1.25 times the weeks that are left.
        let weeks = f64::from(left - left % 2);
        let want = Estimate::interval((0.8 * weeks).round(), (1.25 * weeks).round()).unwrap();
        assert_eq!((turn.estimates[0], turn.estimates.len()), (want, 3));
    }
    Ok(())
}

/// Words of actions, right and wrong, which are put together at random.
fn action() -> impl Strategy<Value = String> {
    let amounts =
        "-?[0-9]{1,7}(\\.[0-9]{1,2})?|1e308|NaN|10\\^30|inf|99999999999999999999|\\PC{0,6}";
    prop_oneof![
        4 => "produce (JCD543|JCD612|JCA374|JUA365|JCD389|X) [0-4] (ocean|air|rail)",
        4 => "replenish (MegaMart|TechZone|ValueCo|OfficePlus|SD|Y) (JCD543|JCD612|JCA374|JUA365|JCD389) [0-4]",
        2 => (prop_oneof!["draw_credit", "repay_credit", "factor_ar"], amounts)
            .prop_map(|(command, amount)| format!("{command} {amount}")),
        1 => "\\PC{0,20}",
    ]
}

/// All units of a game.
fn units(game: &Game) -> i64 {
    let of = |sku| {
        let shelved =
            Retailer::ALL.map(|it| game.stock(Some(it), sku) + game.in_transit(Some(it), sku));
        let there = game.stock(None, sku) + game.in_transit(None, sku) + game.in_production(sku);
        there + shelved.iter().sum::<i64>()
    };
    Sku::ALL.map(of).iter().sum()
}

proptest! {
    #[test]
    fn books_balance_to_the_cent_and_no_unit_is_lost(
        replies in prop::collection::vec(prop::collection::vec(action(), 0..12), STEPS),
        seed in 0_u64..100,
        is_stocked: bool,
    ) {
        let start = if is_stocked { Start::Stocked } else { Start::Empty };
        let mut game = drawn(start, seed);
        for reply in replies {
            let (cash, worth, before) = (game.cash(), game.worth(), units(&game));
            for action in reply {
                let unchanged = game.clone();
                let done = action.parse().and_then(|action| game.act(action));
                prop_assert!(done.is_ok() || game == unchanged, "{}", action);
                prop_assert!(game.has_ended() || game.cash() >= Cents::ZERO || game.cash() >= unchanged.cash());
            }
            let flows = game.advance();
            prop_assert_eq!(game.cash() - cash, flows.cash());
            prop_assert_eq!(game.worth() - worth, flows.worth());
            prop_assert_eq!(units(&game) - before, flows.ordered - flows.sold);
            prop_assert!(game.credit() >= Cents::ZERO && game.credit_left() >= Cents::ZERO);
            prop_assert!(game.receivables() >= Cents::ZERO);
            prop_assert!(Sku::ALL.iter().all(|sku| game.stock(None, *sku) >= 0));
        }
    }

    #[test]
    fn no_reply_breaks_a_run(replies in prop::collection::vec(
        "(<think>|</think>|<answer>|</answer>|;|produce |JCD543 |draw_credit |[0-9]{1,30}| ocean|\\PC){0,12}", STEPS,
    )) {
        let mut replies = replies.into_iter();
        let run = Play::new().with_most_turns(STEPS).conversation("run", Warehouse::new(Start::Empty, Seed(1)))?;
        let record = play(run, |_| replies.next().unwrap_or_default())?;
        prop_assert!(record.end.is_some());
        prop_assert_eq!(rollouts::<Warehouse>([&record])?.len(), 1);
    }
}
