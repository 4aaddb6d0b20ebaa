use scoring_rules::{Binning, Block, Error, Probability, TiedBlocks, Weight};

/// The first confidence of each bin.
fn starts(values: &[f64], binning: Binning<'_>) -> Result<Vec<f64>, Error> {
    let confidence = Probability::from_slice(values)?;
    let blocks = TiedBlocks::new(confidence, &vec![true; values.len()], None)?;
    let first = |bin: &[Block]| bin[0].confidence.get();
    Ok(binning.bins(&blocks)?.map(first).collect())
}

#[test]
fn every_bin_contains_its_upper_end_and_the_first_one_both_ends() {
    let tenths: Vec<f64> = (0..=10).map(|i| f64::from(i) / 10.0).collect();
    let first = [&tenths[..1], &tenths[2..]].concat();
    assert_eq!(starts(&tenths, Binning::EqualWidth { bins: 10 }).unwrap(), first);
    let inner = Probability::from_slice(&tenths[1..10]).unwrap();
    assert_eq!(starts(&tenths, Binning::Edges { inner }).unwrap(), first);
    assert_eq!(starts(&tenths, Binning::Distinct).unwrap(), tenths);
    assert_eq!(starts(&tenths, Binning::Quantile { bins: 11 }).unwrap(), tenths);
}

#[test]
fn ties_are_in_the_bin_of_the_middle_of_their_weight() {
    let values = [0.1, 0.3, 0.3, 0.3, 0.8, 0.9];
    assert_eq!(starts(&values, Binning::Quantile { bins: 2 }).unwrap(), [0.1, 0.8]);
    assert_eq!(starts(&values, Binning::Quantile { bins: 3 }).unwrap(), [0.1, 0.3, 0.8]);
}

#[test]
fn equal_edges_are_accepted_and_descending_edges_are_refused() {
    let edges = Probability::from_slice(&[0.2, 0.2, 0.9, 0.5]).unwrap();
    let of = |inner| starts(&[0.1, 0.2, 0.9], Binning::Edges { inner });
    assert_eq!(of(&edges[..3]), Ok(vec![0.1, 0.9]));
    assert_eq!(of(&[]), Ok(vec![0.1]));
    assert_eq!(
        of(edges),
        Err(Error::OutOfOrder { what: "edges", index: 3, before: 0.9, value: 0.5 })
    );
}

#[test]
fn zero_bins_and_empty_blocks_are_errors() {
    for binning in [Binning::Quantile { bins: 0 }, Binning::EqualWidth { bins: 0 }] {
        let error = starts(&[0.5], binning).unwrap_err();
        assert!(matches!(error, Error::Setting { name: "bins", .. }), "{error}");
    }
    let none = TiedBlocks::default();
    assert!(matches!(Binning::Distinct.bins(&none).map(|_| ()), Err(Error::Empty)));
}

#[test]
fn there_are_never_more_bins_than_requested() {
    // The middle of the weight of the last block rounds to the total weight.
    let confidence = Probability::from_slice(&[0.1, 0.9]).unwrap();
    let blocks =
        TiedBlocks::new(confidence, &[true; 2], Some(Weight::from_slice(&[1.0, 1e-30]).unwrap()))
            .unwrap();
    assert_eq!(Binning::Quantile { bins: 1 }.bins(&blocks).unwrap().count(), 1);
}
