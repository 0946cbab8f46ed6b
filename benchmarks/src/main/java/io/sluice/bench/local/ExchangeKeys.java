package io.sluice.bench.local;

/** How frequent the keys of a job are. */
enum ExchangeKeys {
  /** All as frequent, and hardly any twice. */
  UNIFORM("uniform", 0),
  /** As Zipf's law says of 100,000. */
  ZIPF("Zipf", 1);

  private final String title;
  private final double exponent;

  ExchangeKeys(String title, double exponent) {
    this.title = title;
    this.exponent = exponent;
  }

  String title() {
    return title;
  }

  double exponent() {
    return exponent;
  }
}
