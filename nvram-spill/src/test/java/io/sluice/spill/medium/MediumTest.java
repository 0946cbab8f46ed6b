package io.sluice.spill.medium;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.memory.Mapping;
import io.sluice.rdma.memory.OffHeap;
import io.sluice.spill.segment.SegmentFile;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.Tier;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MediumTest {
  private static final int LENGTH = 8192;

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"plain", "sync", "libpmem", "emulated", "emulated:2", "emulated:0:plain"})
  void writesReachTheFileFromAnyBuffer(String setting) throws Exception {
    Medium medium = chooseOrSkip(setting);
    byte[] expected = new byte[LENGTH];
    new Random(5).nextBytes(expected);
    Path path = Files.write(directory.resolve("segment"), new byte[LENGTH]);
    ByteBuffer direct = OffHeap.allocate(LENGTH);
    try (SegmentFile file = segment(path)) {
      Mapping mapping = medium.map(file, 0, LENGTH);
      medium.write(mapping, 0, ByteBuffer.wrap(expected, 0, 3000));
      direct.put(17, expected, 3000, 4000);
      ByteBuffer source = direct.duplicate().position(17).limit(4017);
      medium.write(mapping, 3000, source);
      assertFalse(source.hasRemaining());
      medium.write(mapping, 7000, ByteBuffer.wrap(expected, 7000, 1192).slice());
      medium.persist(mapping, 0, LENGTH);
      mapping.close();
      assertArrayEquals(expected, Files.readAllBytes(path));
    } finally {
      OffHeap.free(direct);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"auto", "plain", "sync", "libpmem", "emulated", "emulated:2.5"})
  void theNameOfAMediumIsASettingForIt(String setting) throws Exception {
    Medium medium = chooseOrSkip(setting);
    Medium again = MediumChooser.choose(medium.name(), directory).medium();
    assertEquals(medium.name(), again.name());
    assertEquals(medium.getClass(), again.getClass());
  }

  @Test
  void autoSaysWhy() throws Exception {
    MediumChooser.Choice choice = MediumChooser.choose("auto", directory);
    Optional<String> cause = new SyncMedium().unavailabilityCause(directory);
    assertEquals(cause.isPresent() ? "plain" : "sync", choice.medium().name());
    assertTrue(choice.reason().contains(cause.orElse("DAX")), choice.reason());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "nvram", "emulated:x", "emulated:-1", "emulated:2:foo", "emulated:NaN"})
  void nonsenseIsRefused(String setting) {
    String message =
        assertThrows(IOException.class, () -> MediumChooser.choose(setting, directory))
            .getMessage();
    assertTrue(message.contains("medium '"), message);
  }

  @Test
  void aMediumThatIsNotAvailableIsNeverReplaced() {
    Optional<String> cause = new SyncMedium().unavailabilityCause(directory);
    Assumptions.assumeTrue(cause.isPresent(), directory + " is on DAX");
    String message =
        assertThrows(IOException.class, () -> MediumChooser.choose("sync", directory)).getMessage();
    assertTrue(message.contains(cause.get()) && cause.get().contains("DAX"), message);
  }

  @ParameterizedTest
  @CsvSource({
    "devdax, /tmp, is no device-DAX device",
    "devdax, /dev/null, is neither a directory nor a device-DAX device",
    "auto, /dev/null, is neither a directory nor a device-DAX device",
    "sync, /dev/null, which is no directory"
  })
  void aPlaceOfTheWrongKindIsNamed(String setting, String pool, String reason) {
    String message =
        assertThrows(IOException.class, () -> MediumChooser.choose(setting, Path.of(pool)))
            .getMessage();
    assertTrue(message.contains(pool) && message.contains(reason), message);
  }

  @ParameterizedTest
  @CsvSource({
    "sluice.lab.tmpfs, plain, FILES",
    "sluice.lab.hugetlbfs, plain, HUGE_PAGES",
    "sluice.lab.fsdax, sync, FILES",
    "sluice.lab.devdax, devdax, DEVICE"
  })
  void autoKnowsEveryKindOfPlace(String property, String name, PoolKind kind) throws Exception {
    String place = System.getProperty(property, "");
    Assumptions.assumeFalse(place.isEmpty(), "no such place here: " + property + " is not set");
    assertEquals(name, MediumChooser.choose("auto", Path.of(place)).medium().name());
    assertEquals(kind, PoolKind.of(Path.of(place)));
  }

  @Test
  void emulatedWritesTakeTheFactorLongerThanTheWriteItself() throws Exception {
    double factor = 10;
    Slow slow = new Slow();
    Medium emulated = new EmulatedNvram(slow, factor);
    Path path = Files.write(directory.resolve("segment"), new byte[LENGTH]);
    try (SegmentFile file = segment(path)) {
      Mapping mapping = emulated.map(file, 0, LENGTH);
      long startNs = System.nanoTime();
      emulated.write(mapping, 0, ByteBuffer.allocate(LENGTH));
      long tookNs = System.nanoTime() - startNs;
      mapping.close();
      assertTrue(
          tookNs >= slow.writeNs * (1 + factor),
          "the write took " + slow.writeNs + " ns, with the delay " + tookNs);
    }
  }

  private static SegmentFile segment(Path path) throws IOException {
    return SegmentFile.open(new SegmentInfo(0, Tier.MEMORY, path, LENGTH), true);
  }

  private Medium chooseOrSkip(String setting) {
    try {
      return MediumChooser.choose(setting, directory).medium();
    } catch (IOException e) {
      return Assumptions.abort(e.getMessage());
    }
  }

  /** Records how long it took itself. */
  private static final class Slow implements Medium {
    private final Medium medium = new PlainMedium();
    private long writeNs;

    @Override
    public String name() {
      return "slow";
    }

    @Override
    public boolean isPersistent() {
      return false;
    }

    @Override
    public boolean isStoredDirectly() {
      return true;
    }

    @Override
    public Optional<String> unavailabilityCause(Path directory) {
      return Optional.empty();
    }

    @Override
    public Mapping map(SegmentFile file, long offsetBytes, int lengthBytes) throws IOException {
      return medium.map(file, offsetBytes, lengthBytes);
    }

    @Override
    public void persist(Mapping mapping, int offsetBytes, int lengthBytes) {
      medium.persist(mapping, offsetBytes, lengthBytes);
    }

    @Override
    public void write(Mapping mapping, int offsetBytes, ByteBuffer source) {
      long startNs = System.nanoTime();
      medium.write(mapping, offsetBytes, source);
      writeNs = System.nanoTime() - startNs;
    }
  }
}
