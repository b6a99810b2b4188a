# language: de
Funktionalität: Ausleihe von Werkzeug
  Der Verein verleiht Werkzeug an Mitglieder.

  Grundlage:
    Angenommen das Mitglied "Brandt" hat den Beitrag bezahlt

  Szenario: Ein freies Werkzeug wird ausgeliehen
    Angenommen die Bohrmaschine ist frei
    Wenn "Brandt" die Bohrmaschine ausleiht
    Dann ist sie für 7 Tage vergeben
    Und "Brandt" bekommt einen Beleg

  Szenario: Ein vergebenes Werkzeug
    Angenommen die Bohrmaschine ist vergeben
    Wenn "Brandt" die Bohrmaschine ausleiht
    Dann wird "Brandt" vorgemerkt

  Szenariogrundriss: Gebühr bei Verspätung
    Wenn das Werkzeug <tage> Tage zu spät kommt
    Dann kostet das <gebuehr> Euro

    Beispiele:
      | tage | gebuehr |
      | 1 | 2 |
      | 5 | 10 |
