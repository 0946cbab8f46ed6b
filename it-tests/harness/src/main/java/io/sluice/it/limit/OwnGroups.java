package io.sluice.it.limit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The control groups that this process is in, as directories.
 *
 * @param roots where each v1 controller's tree begins
 * @param groups this process's group in each of these trees
 * @param unified its group in the v2 tree, if there is one
 */
record OwnGroups(Map<String, Path> roots, Map<String, Path> groups, Optional<Path> unified) {
  private static final Path MOUNTS = Path.of("/proc/self/mounts");
  private static final Path MEMBERSHIP = Path.of("/proc/self/cgroup");
  private static final String ANY = "";

  /** Looks them up. */
  static OwnGroups find(KernelFiles files) throws IOException {
    Map<String, String> places = new HashMap<>(); // by controller; that of v2 has none
    for (String line : files.read(MEMBERSHIP).lines().toList()) {
      String[] fields = line.split(":", 3);
      for (String controller : fields[1].split(",")) {
        places.put(controller, fields[2].substring(1));
      }
    }
    Map<String, Path> roots = new HashMap<>();
    Map<String, Path> groups = new HashMap<>();
    Optional<Path> unified = Optional.empty();
    for (String line : files.read(MOUNTS).lines().toList()) {
      String[] fields = line.split(" ");
      Path mount = Path.of(fields[1]);
      if (fields[2].equals("cgroup2") && places.containsKey(ANY)) {
        unified = Optional.of(mount.resolve(places.get(ANY)));
      } else if (fields[2].equals("cgroup")) {
        for (String controller : controllers(fields[3])) {
          if (places.containsKey(controller)) {
            roots.put(controller, mount);
            groups.put(controller, mount.resolve(places.get(controller)));
          }
        }
      }
    }
    return new OwnGroups(Map.copyOf(roots), Map.copyOf(groups), unified);
  }

  private static List<String> controllers(String mountOptions) {
    return Arrays.asList(mountOptions.split(","));
  }
}
