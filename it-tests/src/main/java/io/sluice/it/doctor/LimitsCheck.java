package io.sluice.it.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** How many files and mappings a process may have: a pool maps its segments. */
final class LimitsCheck implements Check {
  private static final Path MAP_COUNT = Path.of("/proc/sys/vm/max_map_count");
  private static final long FILES_NEEDED = 4096;
  private static final long MAPS_NEEDED = 65_530; // the kernel's default

  @Override
  public Finding look() {
    try {
      long files =
          Files.readAllLines(Path.of("/proc/self/limits")).stream()
              .filter(line -> line.startsWith("Max open files"))
              .map(line -> line.substring("Max open files".length()).strip().split("\\s+")[0])
              .mapToLong(soft -> soft.equals("unlimited") ? Long.MAX_VALUE : Long.parseLong(soft))
              .findFirst()
              .orElseThrow(() -> new IOException("/proc/self/limits has no Max open files"));
      // By lines: the kernel answers only the first read of such a file, however short it is.
      long maps = Long.parseLong(Files.readAllLines(MAP_COUNT).get(0).strip());
      String text = "open files: %d, memory mappings: %d".formatted(files, maps);
      if (files < FILES_NEEDED) {
        return Finding.limited("limits", text + "; raise nofile to %d".formatted(FILES_NEEDED));
      }
      return maps < MAPS_NEEDED
          ? Finding.limited("limits", text + "; raise vm.max_map_count to " + MAPS_NEEDED)
          : Finding.ok("limits", text);
    } catch (IOException e) {
      return Finding.limited("limits", "cannot be read: " + e.getMessage());
    }
  }
}
