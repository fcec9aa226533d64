//! Names of profiles, positions and moves as people write them: three lines of text.

use oju::{Profile, notation};

pub fn run(data: &[u8]) {
    let (name, rest) = super::first_line(data);
    let (text, rest) = super::first_line(rest);
    let (moves, _) = super::first_line(rest);
    let profile: Profile = match name.parse() {
        Ok(profile) => profile,
        Err(error) => return super::plain(&format!("{error}")),
    };
    assert_eq!(profile.to_string(), name);
    let position = match notation::parse_position(&profile, &text) {
        Ok(position) => position,
        Err(error) => return within(&text, error.column, &error.to_string()),
    };
    assert_eq!(position.row(), profile.row());
    assert!(position.seeds().is_multiple_of(profile.unit()));
    let all = position.seeds() + position.stores().iter().sum::<u32>();
    assert!(all <= profile.seeds());
    // What is printed is the same position again.
    assert!(all == profile.seeds() || position.stores() == [0, 0]);
    assert_eq!(notation::parse_position(&profile, &position.to_string()), Ok(position));
    let drawn = notation::draw(&profile, &position);
    assert_eq!(drawn.lines().count(), 4);

    let engine = super::engine(profile);
    match engine.play_text(&position, &moves) {
        Ok(played) => {
            let left = played.seeds() + played.stores().iter().sum::<u32>();
            assert_eq!(left, all, "seeds are conserved");
            let again = notation::parse_position(&profile, &played.to_string());
            assert_eq!(again.map(|again| again.counts().to_vec()), Ok(played.counts().to_vec()));
        }
        Err(error) => within(&moves, error.column, &error.to_string()),
    }
}

/// An error is one plain line, and its column a character of the text or the one after its end.
fn within(text: &str, column: usize, error: &str) {
    super::plain(error);
    assert!((1..=text.chars().count() + 1).contains(&column), "{text:?}: {error}");
}
