package io.sluice.it.cli;

import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/**
 * Consent to install what a command lacks. The launcher obeys both options before it starts this
 * JVM; they are here for the help text, and to be accepted.
 */
final class InstallOptions {
  @Option(
      names = "--install",
      scope = ScopeType.INHERIT,
      description = "Install what is missing, without a question.")
  private boolean install;

  @Option(
      names = "--no-install",
      scope = ScopeType.INHERIT,
      description =
          "Install nothing. Jobs and tests that lack Spark fail; tests that lack something else are"
              + " skipped by name.")
  private boolean noInstall;
}
