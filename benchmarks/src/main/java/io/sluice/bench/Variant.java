package io.sluice.bench;

/** What is measured side by side with others; an enum's order is that of the columns. */
public interface Variant {
  /** As people read it. */
  String title();
}
