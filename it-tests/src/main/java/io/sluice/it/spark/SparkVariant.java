package io.sluice.it.spark;

/** What is measured side by side; the first is what the others are compared with. */
enum SparkVariant {
  DISK("stock, disk"),
  TMPFS("stock, tmpfs"),
  SLUICE("Sluice"),
  SERVICE("Sluice, node service");

  private final String title;

  SparkVariant(String title) {
    this.title = title;
  }

  /** Whether it shuffles through Sluice. */
  boolean isSluice() {
    return this == SLUICE || this == SERVICE;
  }

  String title() {
    return title;
  }
}
