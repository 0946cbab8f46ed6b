package io.sluice.spill.medium;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Turns a setting into a {@link Medium}: {@code auto}, {@code plain}, {@code sync}, {@code
 * libpmem}, or {@code emulated}, {@code emulated:<n>}, {@code emulated:<n>:<medium>} for {@link
 * EmulatedNvram} over one of them. {@link Medium#name} of what it returns is such a setting again,
 * which is how a service tells its tasks what to use.
 *
 * <p>Thread contract: stateless. Failure: {@link IOException} with the cause if what is asked for
 * by name is not available; never another medium in its place.
 */
public final class MediumChooser {
  private static final String EMULATED = "emulated";

  /**
   * A medium and a sentence that says why it was taken.
   *
   * @param medium available for the directory
   * @param reason for the log
   */
  public record Choice(Medium medium, String reason) {}

  private MediumChooser() {}

  /** Chooses for an existing directory. */
  public static Choice choose(String setting, Path directory) throws IOException {
    if (setting.equals(EMULATED) || setting.startsWith(EMULATED + ":")) {
      return emulated(setting, directory);
    }
    return switch (setting) {
      case "auto" -> auto(directory);
      case "plain" -> named(new PlainMedium(), directory);
      case "sync" -> named(new SyncMedium(), directory);
      case "libpmem" -> named(new LibpmemMedium(), directory);
      default ->
          throw new IOException(
              "there is no medium '"
                  + setting
                  + "'; known are auto, plain, sync, libpmem, emulated[:n[:medium]]");
    };
  }

  private static Choice auto(Path directory) {
    Medium sync = new SyncMedium();
    Optional<String> cause = sync.unavailabilityCause(directory);
    return cause.isEmpty()
        ? new Choice(sync, "medium sync, because " + directory + " is on persistent memory (DAX)")
        : new Choice(new PlainMedium(), "medium plain, because there is " + cause.get());
  }

  private static Choice named(Medium medium, Path directory) throws IOException {
    Optional<String> cause = medium.unavailabilityCause(directory);
    if (cause.isPresent()) {
      throw new IOException("medium " + medium.name() + " is not available: " + cause.get());
    }
    return new Choice(medium, "medium " + medium.name() + ", because the setting says so");
  }

  private static Choice emulated(String setting, Path directory) throws IOException {
    String[] parts = setting.split(":", 3);
    try {
      double delayFactor =
          parts.length > 1 ? Double.parseDouble(parts[1]) : EmulatedNvram.DEFAULT_DELAY_FACTOR;
      Choice inner = choose(parts.length > 2 ? parts[2] : "auto", directory);
      return new Choice(
          new EmulatedNvram(inner.medium(), delayFactor),
          "emulated NVRAM, because the setting says so: every write takes "
              + delayFactor
              + " times longer, on top of "
              + inner.reason());
    } catch (IllegalArgumentException e) {
      throw new IOException("medium '" + setting + "' is not understood: " + e.getMessage(), e);
    }
  }
}
