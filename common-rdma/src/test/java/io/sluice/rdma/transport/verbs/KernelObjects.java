package io.sluice.rdma.transport.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What RDMA costs this host and this process at one moment, by the kernel's own account.
 *
 * @param resources what {@code rdma resource} counts of each device, of all processes: queue pairs,
 *     completion queues, registrations, domains, contexts
 * @param descriptors open files of this process by what they are
 * @param mappings mappings of RDMA devices in this process: queues and doorbells
 * @param pinned the pinned memory of this process
 */
record KernelObjects(
    String resources, Map<String, Integer> descriptors, long mappings, String pinned) {
  /** Each starts a process, in which time the threads that close something have closed it. */
  private static final int MOST_LOOKS = 200;

  static KernelObjects now() throws IOException {
    return new KernelObjects(resourcesNow(), descriptorsNow(), mappingsNow(), pinnedNow());
  }

  /** Waits until there is again what there was; a thread may still be closing something. */
  static void awaitAgain(KernelObjects expected) throws IOException {
    KernelObjects now = now();
    for (int looks = 1; looks < MOST_LOOKS && !now.equals(expected); looks++) {
      now = now();
    }
    assertEquals(expected, now);
  }

  static String resourcesNow() throws IOException {
    Process rdma = new ProcessBuilder("rdma", "resource", "show").redirectErrorStream(true).start();
    return new String(rdma.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  private static Map<String, Integer> descriptorsNow() throws IOException {
    Map<String, Integer> kinds = new TreeMap<>();
    try (DirectoryStream<Path> open = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
      for (Path each : open) {
        String kind = kind(each);
        if (kind.startsWith("anon_inode") || kind.startsWith("socket") || kind.contains("uverbs")) {
          kinds.merge(kind, 1, Integer::sum);
        }
      }
    }
    return kinds;
  }

  /** Such as {@code anon_inode:[infinibandevent]}, {@code socket} or a device file. */
  private static String kind(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString().replaceAll("^socket:.*", "socket");
    } catch (IOException e) {
      return ""; // it was that of the listing itself
    }
  }

  private static long mappingsNow() {
    return linesOf("/proc/self/maps").filter(line -> line.contains("/uverbs")).count();
  }

  private static String pinnedNow() {
    return linesOf("/proc/self/status").filter(line -> line.startsWith("VmPin")).toList().get(0);
  }

  private static Stream<String> linesOf(String file) {
    try {
      return Files.readAllLines(Path.of(file)).stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
