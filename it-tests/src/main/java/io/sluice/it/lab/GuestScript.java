package io.sluice.it.lab;

import io.sluice.it.cluster.Workspace;
import io.sluice.it.spark.SparkDistribution;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Writes what a guest runs: the settings, {@code guest.sh}, and the lines of the caller. */
final class GuestScript {
  private static final String LIBRARY = "guest.sh";

  private GuestScript() {}

  /** Writes a script into the share; the guest's library is put beside it. */
  static Path write(Workspace workspace, GuestSpec spec, Path share, String lines) {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("lab_share", share.toString());
    settings.put("lab_root", workspace.root().toString());
    settings.put("lab_views", String.join(" ", views(workspace)));
    settings.put("lab_address", spec.address());
    settings.put("lab_mac", spec.link().map(GuestSpec.Link::mac).orElse(""));
    settings.put("lab_class_path", classPath(workspace));
    settings.put("lab_seed", GivenSeed.argument().orElse(""));
    settings.put("lab_caches", SparkDistribution.userCaches().toString());
    String assignments =
        settings.entrySet().stream()
            .map(setting -> "%s='%s'%n".formatted(setting.getKey(), setting.getValue()))
            .collect(Collectors.joining());
    try (InputStream library = GuestScript.class.getResourceAsStream("/lab/" + LIBRARY)) {
      Files.write(share.resolve(LIBRARY), library.readAllBytes());
      return Files.writeString(
          share.resolve(spec.name() + ".sh"),
          assignments + ". " + share.resolve(LIBRARY) + "\n" + lines + "\n");
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write the guest's script in " + share, e);
    }
  }

  /** The classes of all modules with their tests, and all that they need. */
  private static String classPath(Workspace workspace) {
    Path target = workspace.root().resolve("it-tests/target");
    try {
      return target.resolve("test-classes")
          + ":"
          + target.resolve("classes")
          + ":"
          + Files.readString(target.resolve("lab.classpath")).strip();
    } catch (IOException e) {
      throw new UncheckedIOException("no lab.classpath in " + target + "; build first", e);
    }
  }

  /**
   * Top directories of everything that a JVM in the guest reads often; below {@code /tmp}, which a
   * guest has to itself, those that are in it.
   */
  private static Set<String> views(Workspace workspace) {
    Set<String> views = new LinkedHashSet<>();
    String jdkAndCaches = System.getProperty("java.home") + ":" + SparkDistribution.userCaches();
    for (String entry : (jdkAndCaches + ":" + classPath(workspace)).split(":")) {
      Path path = Path.of(entry);
      int names = path.startsWith("/tmp") ? 2 : 1;
      views.add(path.getRoot().resolve(path.subpath(0, names)).toString());
    }
    return views;
  }
}
