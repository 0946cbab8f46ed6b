package io.sluice.node.conf;

import io.sluice.rdma.TransportChooser;
import io.sluice.rdma.transport.TransportNames;

/** A setting that names a transport, or leaves the choice to {@link TransportChooser}. */
public final class TransportSetting {
  private TransportSetting() {}

  /**
   * One of {@value TransportChooser#AUTO}, which is the default, and {@link TransportNames}.
   *
   * @param name the configuration key
   * @param meaning what the transport is taken for
   */
  public static Setting<String> of(String name, String meaning) {
    return Setting.choice(
        name,
        meaning + " `disni` comes in a [jar of its own](disni.md).",
        TransportChooser.AUTO,
        TransportNames.BEST_FIRST.toArray(String[]::new));
  }
}
