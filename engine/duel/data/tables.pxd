# cython: language_level=3
"""The effects of the cards for the rules: one struct of plain arrays, filled from the catalogue.

The catalogue uses the same names: EFFECT_SELL_WOOL is `sell_wool` there.
"""
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from clerestory.engine.duel.data.state cimport DECK, MOST_CARDS, MOST_ONCE, SEATS, SECTIONS

cpdef enum EffectKind:  # effects.pyx implements them
    EFFECT_POWER
    EFFECT_INCOME
    EFFECT_INFLUENCE
    EFFECT_RAW
    EFFECT_CRAFTSMAN
    EFFECT_MARKET
    EFFECT_SELL_WOOL
    EFFECT_TAKE
    EFFECT_SEALS
    EFFECT_PLACE
    EFFECT_COPY_ANY
    EFFECT_CONVERT
    EFFECT_RETURN_MATERIAL
    EFFECT_FINISH
    EFFECT_STORM
    EFFECT_CHEAP_BUILDING
    EFFECT_COPY_MARKED
    EFFECT_TRADE_SEALS
    EFFECT_DONATION
    EFFECT_COPY_UNMARKED
    EFFECT_MATCH_GOLD

cdef enum:
    EFFECTS = EFFECT_MATCH_GOLD + 1

cdef struct Effect:
    uint8_t kind        # EffectKind
    uint8_t amount      # gold, chips, seals, or the limit of purchases, sales, turnings
    uint8_t price       # gold each
    uint8_t chip        # kind
    uint8_t wool        # market: gold for each wool sold
    uint8_t pad[3]
    uint32_t kinds      # market: 4 bits set for each kind for sale

cdef struct Build:
    uint16_t code
    uint8_t needs       # set of the section's needs that it meets
    uint8_t size        # 1-3 materials
    uint32_t materials  # 4 bits per kind

cdef struct Builds:
    Build list[7]       # ascending by code
    uint32_t count

cdef struct Tables:
    Effect effects[MOST_CARDS]
    uint8_t count                          # cards of the catalogue
    uint64_t symbols                       # set of cards: neutral, not 1x
    uint64_t usable[SEATS]                 # those, and the seat's personal cards
    uint64_t pointing                      # set: personal cards that point at another one
    uint64_t once                          # set: 1x cards
    uint8_t once_of[MOST_CARDS]            # the bit of a 1x card in a hand
    uint8_t card_of_once[MOST_ONCE]
    uint8_t storming                       # hand: the card that storms the castle
    uint8_t of_deck[2]                     # hand: the 1x cards of each deck
    uint8_t inside[EFFECTS]                # hand: the 1x cards that can be played inside a use, by its EffectKind
    uint8_t donation                       # hand: the card that gives gold for sections
    int plenty                             # gold in the bank at which it gives the same before and after an act
    uint8_t cards[2][DECK]                 # of each deck: card + 1 by copy, in catalogue order
    uint32_t copies[2][MOST_CARDS]         # set of copies of a card in each deck
    uint32_t last_copy[2]                  # set: the highest copy of each card
    uint8_t needs[SEATS][SECTIONS][3]      # kind of chip, in order
    Builds builds[SEATS][SECTIONS][8]      # the turn's buildings, by materials placed
    uint32_t missing[SEATS][SECTIONS][8]   # by materials placed: bit 4 * kind of each missing material
    uint32_t standing[SEATS][SECTIONS][8]  # by materials placed: bit 4 * kind of each placed material
    uint8_t placing[4]                     # gold by number of materials
    uint8_t cheap_placing                  # gold with Toledo
    uint8_t bonus_seals
    uint8_t bonus_gold
    uint8_t bonus_chips

cdef Tables cards  # the cards in use; read-only for the rules
