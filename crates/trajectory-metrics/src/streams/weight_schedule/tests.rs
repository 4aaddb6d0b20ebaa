use super::*;

#[test]
fn powers_of_half_are_exact_until_they_are_zero() {
    for i in 0..2_200 {
        assert_eq!(power_of_half(i), 0.5_f64.powi(i as i32), "{i}");
    }
    assert_eq!((power_of_half(1074), power_of_half(1075)), (5e-324, 0.0));
    assert_eq!(power_of_half(usize::MAX), 0.0);
}
