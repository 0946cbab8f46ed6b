package io.sluice.node.service;

import io.sluice.node.testing.WrappedTcp;

/** Says of {@code tcp} what is true where a NIC looks at keys. */
public class GuessableTcp extends WrappedTcp {
  @Override
  public boolean keysCanBeGuessed() {
    return true;
  }
}
