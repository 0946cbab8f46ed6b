package io.sluice.bench.local;

/** What scales: a sort, which moves bytes, and one that computes. */
enum ScalingWorkload {
  TERA_SORT("TeraSort", 64, 64),
  LDA("LDA", 64, 16);

  private final String title;
  private final int maps;
  private final int reduces;

  ScalingWorkload(String title, int maps, int reduces) {
    this.title = title;
    this.maps = maps;
    this.reduces = reduces;
  }

  String title() {
    return title;
  }

  int maps() {
    return maps;
  }

  int reduces() {
    return reduces;
  }
}
