use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use crate::error::Error;

/// A page of a [`Corpus`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Page {
    /// The title, unique in its corpus.
    pub title: String,
    /// The text.
    pub text: String,
    /// The titles of the pages that this page links to.
    #[serde(default)]
    pub links: Vec<String>,
}

/// Pages that a model can search and read, and whose links it can follow.
///
/// Pages are found by the words of a query, ranked by BM25 with `k1 = 1.2` and `b = 0.75` over title and text; equal
/// ranks keep the order of the pages. Words are sequences of letters and digits; their case is ignored.
///
/// Reference: Robertson and Zaragoza (2009), The probabilistic relevance framework: BM25 and beyond,
/// doi:10.1561/1500000019. The paper's harness searches Wikipedia with the same ranking.
///
/// ```
/// use agent_benchmarks::confidence::Corpus;
///
/// let corpus = Corpus::read(
///     r#"{"title": "Bern", "text": "Bern is a city on the river Aare.", "links": ["Aare"]}
///        {"title": "Aare", "text": "The Aare is the longest river within one country."}"#,
/// )?;
/// let found: Vec<_> = corpus.search("Which river is longest?", 5).collect();
/// assert_eq!(found[0].title, "Aare");
/// assert_eq!(corpus.page("bern").map(|page| page.links.len()), Some(1));
/// # Ok::<(), agent_benchmarks::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Corpus {
    pages: Vec<Page>,
    /// The pages that contain each word, with the frequency of the word in the page.
    words: BTreeMap<String, Vec<(usize, f64)>>,
    /// The number of words of each page.
    lengths: Vec<f64>,
}

impl Corpus {
    /// Reads pages from JSON Lines: one object per page with `title`, `text` and, if there are any, `links`.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] for a line that is no page, or repeats the title of an earlier page.
    pub fn read(text: &str) -> Result<Self, Error> {
        let (mut corpus, mut titles) = (Self::default(), BTreeSet::new());
        for (line, json) in (1..).zip(text.lines()).filter(|(_, json)| !json.trim().is_empty()) {
            let wrong = |problem: String| Error::at_line(line, problem);
            let page: Page =
                serde_json::from_str(json).map_err(|error| wrong(error.to_string()))?;
            if page.title.trim().is_empty() || !titles.insert(page.title.to_lowercase()) {
                let problem =
                    format!("the title {:?} is empty or that of another page", page.title);
                return Err(wrong(problem));
            }
            corpus.push(page);
        }
        Ok(corpus)
    }

    fn push(&mut self, page: Page) {
        let place = self.pages.len();
        let mut length = 0.0;
        for word in words(&page.title).chain(words(&page.text)) {
            length += 1.0;
            let places = self.words.entry(word).or_default();
            match places.last_mut().filter(|(last, _)| *last == place) {
                Some((_, count)) => *count += 1.0,
                None => places.push((place, 1.0)),
            }
        }
        self.lengths.push(length);
        self.pages.push(page);
    }

    /// Returns the number of pages.
    #[must_use]
    pub fn len(&self) -> usize {
        self.pages.len()
    }

    /// Returns whether there is no page.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// Returns whether any page links to another one.
    pub(super) fn has_links(&self) -> bool {
        self.pages.iter().any(|page| !page.links.is_empty())
    }

    /// Returns at most `most` pages that contain a word of the query, the best first.
    pub fn search(&self, query: &str, most: usize) -> impl Iterator<Item = &Page> {
        let pages = self.pages.len() as f64;
        let mean_length = self.lengths.iter().sum::<f64>() / pages;
        let mut ranks: BTreeMap<usize, f64> = BTreeMap::new();
        let query: BTreeSet<String> = words(query).collect();
        for places in query.iter().filter_map(|word| self.words.get(word)) {
            let having = places.len() as f64;
            let rarity = (1.0 + (pages - having + 0.5) / (having + 0.5)).ln();
            for &(place, count) in places {
                let damping = 1.2 * (0.25 + 0.75 * self.lengths[place] / mean_length);
                *ranks.entry(place).or_default() += rarity * count * 2.2 / (count + damping);
            }
        }
        let mut ranked: Vec<(usize, f64)> = ranks.into_iter().collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
        ranked.into_iter().take(most).map(|(place, _)| &self.pages[place])
    }

    /// Returns the page with this title, ignoring case.
    #[must_use]
    pub fn page(&self, title: &str) -> Option<&Page> {
        self.pages.iter().find(|page| page.title.to_lowercase() == title.trim().to_lowercase())
    }
}

impl Page {
    /// Returns the sentences that contain the keyword, ignoring case.
    pub(super) fn sentences_with(&self, keyword: &str) -> impl Iterator<Item = &str> {
        let keyword = keyword.to_lowercase();
        let sentences = self.text.split_inclusive(['.', '!', '?', '\n']).map(str::trim);
        sentences.filter(move |sentence| sentence.to_lowercase().contains(&keyword))
    }
}

/// Returns the words of a text in lower case.
fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}
