Feature: Barrier of the car park

  Scenario: A car with a ticket
    Given a car with a paid ticket
    When it stands at the barrier
    Then the barrier opens
    the lamp is green

  Scenario: A car without a ticket
    When it stands at the barrier
    Then the barrier stays closed
