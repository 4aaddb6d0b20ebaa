use numpy::PyArray1;
use pyo3::{
    prelude::*,
    types::{PyDict, PyInt, PyList, PyString, PyTuple},
};
use scoring_rules::ExactMean;
use trajectory_metrics::tool_calls::interned_edit_distance;

use crate::{
    errors::{Failure, invalid},
    number_arrays::{LONG, slice_of},
};

/// Calls that are numbered before they are compared.
const BLOCK: usize = 1 << 17;

/// Slots of the tables that are tried before a dictionary.
const SLOTS: usize = 1 << SLOT_BITS;
const SLOT_BITS: u32 = 10;

/// Numbers of hashable objects in the order of their first appearance; equal objects have the same one.
pub(crate) struct Numbers<'py> {
    numbers: Bound<'py, PyDict>,
    /// Objects by their address. They are kept, so that no other object gets the address.
    objects: Vec<Option<(Bound<'py, PyAny>, u32)>>,
    /// Texts by their hash.
    texts: Vec<Option<(Box<str>, u32)>>,
    integers: Vec<Option<(i64, u32)>>,
}

fn slot(key: u64) -> usize {
    // Multiplication by 2^64 divided by the golden ratio spreads addresses and small numbers.
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - SLOT_BITS)) as usize
}

impl<'py> Numbers<'py> {
    pub(crate) fn new(py: Python<'py>) -> Self {
        Self {
            numbers: PyDict::new(py),
            objects: (0..SLOTS).map(|_| None).collect(),
            texts: (0..SLOTS).map(|_| None).collect(),
            integers: vec![None; SLOTS],
        }
    }

    /// The distinct objects, in the order of their numbers.
    pub(crate) fn distinct(&self) -> Bound<'py, PyList> {
        self.numbers.keys()
    }

    /// The number of an object.
    pub(crate) fn number(&mut self, object: &Bound<'py, PyAny>) -> PyResult<u32> {
        self.look_up(object)
    }

    /// The number of an object that is in its slot.
    #[inline(always)]
    fn known(&self, object: &Bound<'py, PyAny>) -> Option<u32> {
        match &self.objects[slot(object.as_ptr() as u64)] {
            Some((known, number)) if known.is(object) => Some(*number),
            _ => None,
        }
    }

    /// The number of an object that is not in its slot. An object whose number is in another table does not take
    /// the slot, so that objects that occur once do not push out those that occur often.
    #[inline(never)]
    fn of_other(&mut self, object: &Bound<'py, PyAny>) -> PyResult<u32> {
        let text = object.cast_exact::<PyString>().ok().and_then(|text| text.to_str().ok());
        let number = if let Some(text) = text {
            let place = slot(object.hash()? as u64);
            if let Some((known, number)) = &self.texts[place]
                && **known == *text
            {
                return Ok(*number);
            }
            let number = self.look_up(object)?;
            self.texts[place] = Some((text.into(), number));
            number
        } else if let Some(integer) =
            object.cast_exact::<PyInt>().ok().and_then(|integer| integer.extract().ok())
        {
            if let Some(number) = self.known_integer(integer) {
                return Ok(number);
            }
            self.new_integer(integer)?
        } else {
            self.look_up(object)?
        };
        self.objects[slot(object.as_ptr() as u64)] = Some((object.clone(), number));
        Ok(number)
    }

    #[inline]
    fn known_integer(&self, integer: i64) -> Option<u32> {
        self.integers[slot(integer as u64)]
            .and_then(|(known, number)| (known == integer).then_some(number))
    }

    fn new_integer(&mut self, integer: i64) -> PyResult<u32> {
        let object = integer.into_pyobject(self.numbers.py())?;
        let number = self.look_up(&object)?;
        self.integers[slot(integer as u64)] = Some((integer, number));
        Ok(number)
    }

    fn look_up(&mut self, object: &Bound<'py, PyAny>) -> PyResult<u32> {
        if let Some(number) = self.numbers.get_item(object)? {
            return number.extract();
        }
        let number = u32::try_from(self.numbers.len())
            .map_err(|_| invalid("there are more than 2^32 distinct calls"))?;
        self.numbers.set_item(object, number)?;
        Ok(number)
    }

    /// Appends the numbers of the calls of a path.
    pub(crate) fn append(
        &mut self,
        path: &Bound<'py, PyAny>,
        numbers: &mut Vec<u32>,
    ) -> PyResult<()> {
        if let Ok(list) = path.cast::<PyList>() {
            // The calls of a tuple are borrowed, which takes less than a new reference to each.
            return self.append(list.to_tuple().as_any(), numbers);
        }
        if let Ok(tuple) = path.cast::<PyTuple>() {
            numbers.reserve(tuple.len());
            for call in tuple.iter_borrowed() {
                numbers.push(match self.known(&call) {
                    Some(number) => number,
                    None => self.of_other(&call)?,
                });
            }
        } else if let Ok(array) = path.cast::<PyArray1<i64>>() {
            for &integer in slice_of(array)?.as_slice()? {
                numbers.push(match self.known_integer(integer) {
                    Some(number) => number,
                    None => self.new_integer(integer)?,
                });
            }
        } else {
            let tuple = path.py().get_type::<PyTuple>().call1((path,))?;
            return self.append(&tuple, numbers);
        }
        Ok(())
    }
}

/// The means of `trajectory_metrics::tool_calls::PathDistances`, which compares calls of any type, for numbers.
#[derive(Default)]
struct Means {
    edit: ExactMean,
    normalized: ExactMean,
    exact: ExactMean,
}

impl Means {
    fn update(&mut self, actual: &[u32], reference: &[u32]) {
        let distance = interned_edit_distance(actual, reference);
        let longest = actual.len().max(reference.len()).max(1);
        self.edit.update(distance as f64);
        self.normalized.update(distance as f64 / longest as f64);
        self.exact.update(f64::from(u8::from(distance == 0)));
    }
}

/// The two paths of a pair.
fn pair<'py>(object: &Bound<'py, PyAny>) -> PyResult<[Bound<'py, PyAny>; 2]> {
    if let Ok(list) = object.cast::<PyList>() {
        return pair(list.to_tuple().as_any());
    }
    if let Ok(tuple) = object.cast::<PyTuple>()
        && tuple.len() == 2
    {
        return Ok([tuple.get_item(0)?, tuple.get_item(1)?]);
    }
    let paths: Vec<_> = object.try_iter()?.collect::<PyResult<_>>()?;
    paths.try_into().map_err(|paths: Vec<_>| {
        invalid(format!("expected pairs of an actual and a reference path, found {}", paths.len()))
    })
}

/// Means over pairs of paths of hashable calls: edit distance, normalised edit distance, exact match.
#[pyfunction]
pub(crate) fn path_distances(paths: &Bound<'_, PyAny>) -> PyResult<(f64, f64, f64)> {
    let py = paths.py();
    let mut numbers = Numbers::new(py);
    let mut means = Means::default();
    // The calls of both paths of each pair, and where the two paths end.
    let (mut calls, mut ends) = (Vec::new(), Vec::new());
    let mut compare = |calls: &mut Vec<u32>, ends: &mut Vec<[usize; 2]>| {
        let mut start = 0;
        let mut all = || {
            for &[middle, end] in &*ends {
                means.update(&calls[start..middle], &calls[middle..end]);
                start = end;
            }
        };
        if calls.len() < LONG {
            all()
        } else {
            py.detach(all)
        }
        calls.clear();
        ends.clear();
    };
    for object in paths.try_iter()? {
        let [actual, reference] = pair(&object?)?;
        numbers.append(&actual, &mut calls)?;
        let middle = calls.len();
        numbers.append(&reference, &mut calls)?;
        ends.push([middle, calls.len()]);
        if calls.len() + ends.len() >= BLOCK {
            py.check_signals()?;
            compare(&mut calls, &mut ends);
        }
    }
    compare(&mut calls, &mut ends);
    let finish = |mean: &ExactMean| mean.finish().map_err(Failure::from);
    Ok((finish(&means.edit)?, finish(&means.normalized)?, finish(&means.exact)?))
}
