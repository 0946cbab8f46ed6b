package io.sluice.bench;

/** One of several that are measured side by side; an enum's order is that of the columns. */
public interface Variant {
  /** As people read it. */
  String title();
}
