# the till of the canteen, agreed with the works council
@canteen
Feature: Paying with the staff card
  Staff pay with their card. The company adds a grant
  for one meal a day.

  Background:
    Given the grant is 2.50
    And the card "K-17" holds 20.00

  @AC-1
  Scenario: The first meal of a day
    When "K-17" pays a meal of 6.40
    Then the card holds 16.10

  @AC-2
  Scenario: The second meal of a day
    Given "K-17" has paid a meal today
    When "K-17" pays a meal of 6.40
    Then the card holds 13.60

  Rule: A card never goes below zero

    @keep @AC-3
    Example: Not enough money
      When "K-17" pays a meal of 40.00
      Then the till shows "top up"
      And the card holds 20.00

    @AC-4
    Scenario Outline: Prices close to the limit
      When "K-17" pays a meal of <price>
      Then the till shows "<message>"

      Examples:
        | price | message |
        | 22.50 | paid |
        | 22.51 | top up |

  @review
  Scenario: Receipts name the grant
    When a receipt is printed
    Then it has a line "grant"
