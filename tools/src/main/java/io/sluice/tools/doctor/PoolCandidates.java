package io.sluice.tools.doctor;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Where a pool could lie on this machine, found among its mounts and devices. */
final class PoolCandidates {
  static final Path DEFAULT = Path.of("/dev/shm");

  private static final Set<String> TYPES = Set.of("tmpfs", "hugetlbfs");
  private static final String SYSTEM_OWN = "/(run|tmp|run/(lock|user/.*)|(var|etc|sys|proc)/.*)";

  private PoolCandidates() {}

  /** The default place, whether it exists or not, and every other that this user may write to. */
  static List<Path> find(SystemFiles files, Mounts mounts) {
    Set<Path> places = new LinkedHashSet<>();
    places.add(DEFAULT);
    for (Mounts.Mount mount : mounts.all()) {
      boolean memory = TYPES.contains(mount.type()) || mount.isDax() || isOnPmem(mount);
      if (memory
          && !mount.isReadOnly()
          && !mount.point().toString().matches(SYSTEM_OWN)
          && isUsable(files.path(mount.point().toString()))) {
        places.add(mount.point());
      }
    }
    for (String device : files.names("/dev")) {
      Path path = Path.of("/dev", device);
      if (PoolCandidate.isDaxDevice(path)) {
        places.add(path);
      }
    }
    return List.copyOf(places);
  }

  static boolean isOnPmem(Mounts.Mount mount) {
    return mount.device().startsWith("/dev/pmem");
  }

  private static boolean isUsable(Path directory) {
    return Files.isDirectory(directory) && Files.isWritable(directory);
  }
}
