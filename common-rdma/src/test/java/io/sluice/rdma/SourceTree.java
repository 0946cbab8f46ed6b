package io.sluice.rdma;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The Java files of all modules, for rules that every one of them keeps. */
final class SourceTree {
  private static final Set<String> IN_OTHERS_PROCESSES =
      Set.of(
          "common-rdma",
          "disni-transport",
          "nvram-spill",
          "node-service",
          "mapreduce",
          "hadoop-entry",
          "hadoop-shuffle-plugin",
          "local-engine",
          "memory-fs",
          "spark-35",
          "spark-entry",
          "spark-shuffle-manager");

  private SourceTree() {}

  /** The checkout that this test runs in. */
  static Path root() {
    Path here = Path.of("").toAbsolutePath();
    while (!Files.exists(here.resolve("CONTRIBUTING.md"))) {
      here = here.getParent();
    }
    return here;
  }

  /** The sources of what runs in other people's processes, and of some more modules. */
  static List<Path> inOthersProcesses(String... more) throws IOException {
    Set<String> modules = new HashSet<>(IN_OTHERS_PROCESSES);
    modules.addAll(List.of(more));
    Path root = root();
    return filesBelow("src/main/java").stream()
        .filter(file -> modules.contains(root.relativize(file).getName(0).toString()))
        .toList();
  }

  /** All Java files below folders of that name, but for what builds make meanwhile. */
  static List<Path> filesBelow(String folder) throws IOException {
    List<Path> found = new ArrayList<>();
    Files.walkFileTree(
        root(),
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes what) {
            return directory.endsWith("target") || directory.endsWith(".git")
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes what) {
            String name = file.toString();
            if (name.contains("/" + folder + "/") && name.endsWith(".java")) {
              found.add(file);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    found.sort(null);
    return found;
  }
}
