package io.sluice.it.spark;

/** What is measured side by side; the first is what the others are compared with. */
enum SparkVariant {
  DISK("stock, disk"),
  TMPFS("stock, tmpfs"),
  SLUICE("Sluice");

  private final String title;

  SparkVariant(String title) {
    this.title = title;
  }

  String title() {
    return title;
  }
}
