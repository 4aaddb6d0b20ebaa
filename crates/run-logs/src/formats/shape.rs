use crate::{
    engines::json::reader::Json,
    error::{Error, Problem},
    values::read_limits::ReadLimits,
};

/// What the first bytes of a file show: the fields of the object that it starts with, as far as
/// they can be seen.
#[derive(Debug, Default)]
pub(crate) struct Shape {
    fields: Vec<(String, Sketch)>,
    /// Whether the file starts with a list of such objects.
    pub(crate) is_list: bool,
}

/// What is known of a value.
#[derive(Debug)]
pub(crate) enum Sketch {
    Text(String),
    /// The keys of an object, or of the first object in a list.
    Keys(Vec<String>),
    Other,
}

impl Shape {
    /// The fields of the first object in a prefix of a file.
    pub(crate) fn of(prefix: &[u8]) -> Self {
        let mut shape = Self::default();
        let mut json = Json::new(prefix, ReadLimits::default());
        // The prefix ends somewhere; what was seen before counts.
        let _ = shape.read(&mut json);
        shape
    }

    fn read(&mut self, json: &mut Json<'_>) -> Result<(), Error> {
        if json.token()? == b'[' {
            self.is_list = true;
            json.begin_list()?;
            json.next_element()?;
        }
        json.begin_object()?;
        while let Some(key) = json.next_key()? {
            self.fields.push((key, Sketch::Other));
            let mut keys = Vec::new();
            let sketch = match json.token()? {
                b'"' => json.text().map(Sketch::Text),
                b'{' => {
                    let read = first_keys(json, &mut keys);
                    read.map(|()| Sketch::Other)
                }
                b'[' => {
                    let mut first = true;
                    json.list(|json| {
                        if std::mem::take(&mut first) && json.token()? == b'{' {
                            first_keys(json, &mut keys)
                        } else {
                            json.skip()
                        }
                    })
                    .map(|()| Sketch::Other)
                }
                _ => json.skip().map(|()| Sketch::Other),
            };
            if let Some((_, last)) = self.fields.last_mut() {
                if !keys.is_empty() {
                    *last = Sketch::Keys(keys);
                } else if let Ok(Sketch::Text(text)) = &sketch {
                    *last = Sketch::Text(text.clone());
                }
            }
            sketch?;
        }
        Ok(())
    }

    /// Whether the object has a field.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.fields.iter().any(|(field, _)| field == name)
    }

    /// Whether the object has all of these fields.
    pub(crate) fn has_all(&self, names: &[&str]) -> bool {
        names.iter().all(|name| self.has(name))
    }

    /// The text of a field.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.fields.iter().find_map(|(field, sketch)| match sketch {
            Sketch::Text(text) if field == name => Some(text.as_str()),
            _ => None,
        })
    }

    /// Whether a field is an object, or a list whose first entry is an object, with this key.
    pub(crate) fn has_key(&self, name: &str, key: &str) -> bool {
        self.fields.iter().any(|(field, sketch)| match sketch {
            Sketch::Keys(keys) => field == name && keys.iter().any(|found| found == key),
            _ => false,
        })
    }
}

/// The keys of an object; those before the end of the prefix stay.
fn first_keys(json: &mut Json<'_>, keys: &mut Vec<String>) -> Result<(), Error> {
    json.map(|json, key| {
        if keys.len() >= 64 {
            return Err(json.error(Problem::Unsupported { what: "an object of many keys" }));
        }
        keys.push(key);
        json.skip()
    })
}
