//! The subcommands `run sokoban` and `run warehouse`.

use std::error::Error;

use agent_benchmarks::{client::ExpectedRequests, play::PlayConversation, sokoban::Texts};

use crate::{
    games::Game,
    run::{
        asking::{Asking, Finished, Protocol},
        common::Common,
    },
};

/// The model plays an environment of the BAGEN paper
#[derive(Debug, clap::Args)]
pub(crate) struct Options<G: Game> {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    game: G,
    /// Maximum number of tokens in a request and its reply together; 0 sets no limit. A turn with more tokens has no
    /// effect and ends the run. The default is the limit of the released evaluation
    #[arg(long, value_name = "N", default_value_t = 0)]
    turn_tokens: u64,
}

/// Conversations with their names.
type Named<E> = Vec<(String, PlayConversation<E>)>;

impl<G: Game> Options<G> {
    fn turn_tokens(&self) -> Option<u64> {
        Some(self.turn_tokens).filter(|most| *most > 0)
    }

    fn conversations(&self) -> Result<Named<G::Environment>, Box<dyn Error>> {
        let texts = self.common.texts(&[Texts::FILE])?;
        let texts = texts.map(|texts| Texts::published(&texts[Texts::FILE])).transpose();
        let texts = texts.map_err(|error| format!("--published: {error}"))?;
        let (settings, environments) = self.game.runs(texts.as_ref())?;
        let settings = settings
            .with_sampling(self.common.sampling())
            .with_most_tokens_of_a_turn(self.turn_tokens());
        let conversations = environments.into_iter().map(|(seed, environment)| {
            let id = seed.to_string();
            let conversation = settings.conversation(&id, environment)?;
            Ok((id, conversation))
        });
        conversations.collect()
    }
}

impl<G: Game> Protocol for Options<G> {
    const NAME: &'static str = G::NAME;
    const FORM: &'static str = "<answer>...</answer> with what the request asks for";

    fn common(&self) -> &Common {
        &self.common
    }

    fn setting(&self) -> String {
        let turn = self.turn_tokens().map_or("no limit".to_owned(), |most| most.to_string());
        let (game, asks, texts) =
            (self.game.setting(), self.game.asks(), self.common.name_of_texts());
        format!("{game}, {asks}, tokens of a turn: {turn}, {texts}")
    }

    fn expect(&self, expected: &mut ExpectedRequests<'_>) -> Result<(), Box<dyn Error>> {
        let most = G::TURNS * (1 + usize::from(self.game.course().ask));
        for (name, conversation) in self.conversations()? {
            expected.add(&name, conversation, [1, most])?;
        }
        Ok(())
    }

    fn run(&self, asking: &Asking<'_>) -> Result<Finished, Box<dyn Error>> {
        let conversations = self.conversations()?;
        let records = asking.run(G::NAME, &conversations, Clone::clone)?;
        let report = self.game.report(&records, &self.common.live(), Some(&self.common.out))?;
        Ok((records.into_iter().map(|record| record.record).collect(), report))
    }
}
