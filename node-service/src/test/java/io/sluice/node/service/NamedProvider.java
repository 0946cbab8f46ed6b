package io.sluice.node.service;

import io.sluice.node.testing.WrappedTcp;

/** tcp under another name. */
final class NamedProvider extends WrappedTcp {
  private final String name;

  NamedProvider(String name) {
    this.name = name;
  }

  @Override
  public String name() {
    return name;
  }
}
