package io.sluice.bench.local;

import io.sluice.bench.Variant;
import java.util.Locale;

/** How records get from maps to reduces, as the engine's setting calls it. */
enum ExchangeMode implements Variant {
  PULL,
  PUSH,
  HYBRID,
  /** The engine chooses one of the others. */
  AUTO;

  @Override
  public String title() {
    return name().toLowerCase(Locale.ROOT);
  }
}
