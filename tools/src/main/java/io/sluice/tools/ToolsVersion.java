package io.sluice.tools;

import io.sluice.rdma.Release;
import picocli.CommandLine.IVersionProvider;

/** What the manifest of the jar says. */
final class ToolsVersion implements IVersionProvider {
  @Override
  public String[] getVersion() {
    return new String[] {Release.of(ToolsVersion.class)};
  }
}
