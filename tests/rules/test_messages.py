"""Texts that remember what they say."""

from service.rules.english_texts import message
from service.rules.messages import Message, as_sentence


def test_a_text_is_its_english_words_and_knows_what_it_was_made_of() -> None:
    said = Message("seat 3 is open", "seat.open", {"seat": 3})
    assert said == "seat 3 is open"
    assert (said.key, said.values, said.whole) == ("seat.open", {"seat": 3}, False)


def test_somebody_elses_words_have_no_key() -> None:
    said = Message("whatever")
    assert (said.key, said.values, said.whole) == ("", {}, False)


def test_a_sentence_has_a_capital_and_one_full_stop_and_says_the_same() -> None:
    sentence = Message("seat 3 is open", "seat.open", {"seat": 3}).as_sentence()
    assert sentence == "Seat 3 is open."
    assert (sentence.key, sentence.values, sentence.whole) == ("seat.open", {"seat": 3}, True)
    assert as_sentence("is it?.") == "Is it?."
    assert as_sentence("") == "."
    assert as_sentence("this is tile X") == "This is tile X."


def test_what_the_rules_tell_is_english_with_its_key_and_values() -> None:
    said = message("moment.not_your_turn", mover=1, seat=2)
    assert said == "it is the turn of seat 1, not of seat 2"
    assert (said.key, said.values) == ("moment.not_your_turn", {"mover": 1, "seat": 2})


def test_formatting_leaves_a_text_as_it_is() -> None:
    said = Message("{input} is odd", "odd")
    assert said.format(input=3) is said
