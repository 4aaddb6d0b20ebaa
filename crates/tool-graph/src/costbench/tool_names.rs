use crate::costbench::task::Task;

/// Appends the name of the tool that performs the steps from `first` to `last` of `length` steps.
pub(super) fn push_name(names: &mut String, length: usize, task: Task, first: usize, last: usize) {
    let own = task.prefix();
    let steps = last - first + 1;
    let ends = last + 1 == length;
    // Refinements are numbered from 1; refinement 1 is step 2.
    let (from, to) = (first.wrapping_sub(1), last.wrapping_sub(1));
    match (first, steps) {
        (0, 1) => push(names, &["Decide_", own, "_Preference"]),
        (1, 1) => push(names, &["Search_", own, "_Candidates"]),
        (_, 1) if ends => push(names, &["Select_Final_", own]),
        (_, 1) => push_numbered(names, &[own, "_Refinement_Step"], to, ""),
        (0, _) if ends => push_numbered(names, &[own, "_Complete_"], steps, "Steps_Pipeline"),
        (0, 2) => push(names, &[own, "_Preference_and_Search"]),
        (0, _) => push_numbered(names, &[own, "_Full_Planning_to_Step"], to, ""),
        (1, 2) if ends => push(names, &[own, "_Finalize_from_Search"]),
        (1, _) if ends => push_numbered(names, &[own, "_Search_to_Final_"], steps, "Steps"),
        (1, 2) => push_numbered(names, &[own, "_Search_to_Step"], to, ""),
        (1, _) => push_numbered(names, &[own, "_Search_Planning_to_Step"], to, ""),
        (_, 2) if ends => push_numbered(names, &[own, "_Finalize_from_Step"], from, ""),
        (_, _) if ends => {
            push_numbered(names, &[own, "_Finish_from_Step"], from, "_");
            push_numbered(names, &[], steps, "Steps");
        }
        (_, 2) => push_numbered(names, &[own, "_Refine_to_Step"], to, ""),
        (_, _) => {
            push_numbered(names, &[own, "_Refine_Step"], from, "_to_Step");
            push_numbered(names, &[], to, "");
        }
    }
}

fn push(text: &mut String, parts: &[&str]) {
    for part in parts {
        text.push_str(part);
    }
}

/// Appends parts, a number below 1000 and a last part. Much faster than `write!`.
fn push_numbered(text: &mut String, parts: &[&str], number: usize, last: &str) {
    push(text, parts);
    for unit in [100, 10, 1] {
        if number >= unit || unit == 1 {
            text.push(char::from(b'0' + (number / unit % 10) as u8));
        }
    }
    text.push_str(last);
}
