package io.sluice.rdma.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LockedMemoryLimitTest {
  private static final String NO_CAPABILITY = "00000000a80405fb";
  private static final String IPC_LOCK = "0000000000004000";

  @TempDir private Path dir;

  private LockedMemoryLimit limit(String soft, long pinnedKb, String capabilities)
      throws IOException {
    Path limits =
        Files.writeString(
            dir.resolve("limits"),
            "Limit                     Soft Limit           Hard Limit           Units     \n"
                + "Max locked memory         "
                + soft
                + "              unlimited              bytes     \n");
    Path status =
        Files.writeString(
            dir.resolve("status"),
            "VmLck:\t       0 kB\nVmPin:\t    "
                + pinnedKb
                + " kB\nCapEff:\t"
                + capabilities
                + "\n");
    return new LockedMemoryLimit(limits, status);
  }

  @Test
  void namesTheLimitTheBytesAndTheKnob() throws Exception {
    Optional<String> refusal = limit("8388608", 4096, NO_CAPABILITY).refusal((4 << 20) + 1);
    String text = refusal.orElseThrow();
    for (String part :
        new String[] {"4194305 bytes", "8388608", "4194304", "ulimit -l", "LimitMEMLOCK="}) {
      assertTrue(text.contains(part), text);
    }
  }

  @Test
  void allowsWhatFits() throws Exception {
    assertEquals(Optional.empty(), limit("8388608", 4096, NO_CAPABILITY).refusal(4 << 20));
    assertEquals(Optional.empty(), limit("unlimited", 4096, NO_CAPABILITY).refusal(1L << 50));
    assertEquals(Optional.empty(), limit("8388608", 4096, IPC_LOCK).refusal(1L << 50));
  }

  @Test
  void saysHowMuchMayStillBePinned() throws Exception {
    assertEquals(4 << 20, limit("8388608", 4096, NO_CAPABILITY).allowedBytes());
    assertEquals(0, limit("65536", 4096, NO_CAPABILITY).allowedBytes());
    assertEquals(Long.MAX_VALUE, limit("unlimited", 4096, NO_CAPABILITY).allowedBytes());
    assertEquals(Long.MAX_VALUE, limit("65536", 0, IPC_LOCK).allowedBytes());
  }

  @Test
  void anUnknownFormatIsAnErrorAndNotAPermission() throws Exception {
    Path empty = Files.createFile(dir.resolve("empty"));
    assertThrows(IOException.class, () -> new LockedMemoryLimit(empty, empty).refusal(1));
  }

  @Test
  void readsThisProcess() throws Exception {
    assertEquals(Optional.empty(), new LockedMemoryLimit().refusal(0));
  }
}
