package io.sluice.spill.medium;

import io.sluice.spill.segment.PoolPaths;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Turns a setting into a {@link Medium}: {@code auto}, {@code plain}, {@code sync}, {@code
 * libpmem}, {@code devdax}, or {@code emulated}, {@code emulated:<n>}, {@code
 * emulated:<n>:<medium>} for {@link EmulatedNvram} over one of them. The {@link Medium#name} of the
 * result is such a setting again; a service sends it to its tasks.
 *
 * <p>Thread contract: stateless. Failure: {@link IOException} with the cause if a named medium is
 * not available; it never returns another medium instead.
 */
public final class MediumChooser {
  private static final String EMULATED = "emulated";
  private static final String TMPFS = "tmpfs";

  /**
   * A medium and the reason of the choice.
   *
   * @param medium available for the pool
   * @param reason for the log
   */
  public record Choice(Medium medium, String reason) {}

  private MediumChooser() {}

  /** Chooses for an existing directory or device. */
  public static Choice choose(String setting, Path pool) throws IOException {
    if (setting.equals(EMULATED) || setting.startsWith(EMULATED + ":")) {
      return emulated(setting, pool);
    }
    return switch (setting) {
      case "auto" -> auto(pool);
      case "plain" -> named(new PlainMedium(), pool);
      case "sync" -> named(new SyncMedium(), pool);
      case "libpmem" -> named(new LibpmemMedium(), pool);
      case "devdax" -> named(new DevDaxMedium(), pool);
      default ->
          throw new IOException(
              "there is no medium '"
                  + setting
                  + "'; known are auto, plain, sync, libpmem, devdax, emulated[:n[:medium]]");
    };
  }

  /** Chooses for a pool whose files may have no names in this process. */
  public static Choice choose(String setting, PoolPaths paths) throws IOException {
    return paths.isNamed() ? choose(setting, paths.pool()) : forDescriptors(setting);
  }

  /**
   * Whether an existing pool on this medium is plain memory. Only then may a sort buffer lie in it,
   * since a sort stores to each byte many times.
   */
  public static boolean isMemory(Medium medium, Path pool) throws IOException {
    return medium instanceof PlainMedium
        && switch (PoolKind.of(pool)) {
          case HUGE_PAGES -> true;
          case FILES -> Files.getFileStore(pool).type().equals(TMPFS);
          case DEVICE -> false;
        };
  }

  private static Choice forDescriptors(String setting) throws IOException {
    if (setting.startsWith(EMULATED + ":")) {
      String[] parts = setting.split(":", 3);
      if (parts.length == 3) {
        Choice inner = forDescriptors(parts[2]);
        return new Choice(
            new EmulatedNvram(inner.medium(), Double.parseDouble(parts[1])), inner.reason());
      }
    }
    if (!setting.equals("plain")) {
      throw new IOException(
          "medium " + setting + " opens the pool's files by their names, which only its user can");
    }
    return new Choice(new PlainMedium(), "medium plain, because the pool's service says so");
  }

  private static Choice auto(Path pool) throws IOException {
    return switch (PoolKind.of(pool)) {
      case DEVICE -> device(pool);
      case HUGE_PAGES ->
          new Choice(new PlainMedium(), "medium plain, because " + pool + " is on huge pages");
      case FILES -> files(pool);
    };
  }

  private static Choice device(Path pool) throws IOException {
    Medium medium = new DevDaxMedium();
    Optional<String> cause = medium.unavailabilityCause(pool);
    if (cause.isPresent()) {
      throw new IOException(
          String.format(
              "medium devdax is not available: %s; or set the medium to plain, if %s need"
                  + " not keep its bytes when the power fails",
              cause.get(), pool));
    }
    return new Choice(medium, "medium devdax, because " + pool + " is a device-DAX device");
  }

  private static Choice files(Path pool) {
    Medium sync = new SyncMedium();
    Optional<String> cause = sync.unavailabilityCause(pool);
    return cause.isEmpty()
        ? new Choice(sync, "medium sync, because " + pool + " is on persistent memory (DAX)")
        : new Choice(new PlainMedium(), "medium plain, because there is " + cause.get());
  }

  private static Choice named(Medium medium, Path pool) throws IOException {
    Optional<String> cause = medium.unavailabilityCause(pool);
    if (cause.isPresent()) {
      throw new IOException("medium " + medium.name() + " is not available: " + cause.get());
    }
    return new Choice(medium, "medium " + medium.name() + ", because the setting says so");
  }

  private static Choice emulated(String setting, Path pool) throws IOException {
    String[] parts = setting.split(":", 3);
    try {
      double delayFactor =
          parts.length > 1 ? Double.parseDouble(parts[1]) : EmulatedNvram.DEFAULT_DELAY_FACTOR;
      Choice inner = choose(parts.length > 2 ? parts[2] : "auto", pool);
      return new Choice(
          new EmulatedNvram(inner.medium(), delayFactor),
          String.format(
              "emulated NVRAM, because the setting says so: every write takes %s times"
                  + " longer, on top of %s",
              delayFactor, inner.reason()));
    } catch (IllegalArgumentException e) {
      throw new IOException("medium '" + setting + "' is not understood: " + e.getMessage(), e);
    }
  }
}
