package io.sluice.it.lab.plugs;

import io.sluice.spill.format.BlockChecksums.BlockChecksummer;
import io.sluice.spill.format.LocatedRun;
import io.sluice.spill.format.Run;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.SegmentFile.SegmentOpener;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.SegmentMapper;
import io.sluice.spill.segment.SegmentMapper.MappedRanges;
import io.sluice.spill.store.CommittedOutput;
import io.sluice.spill.store.Lease;
import io.sluice.spill.store.SegmentHandle;
import io.sluice.spill.store.SpillStore;
import io.sluice.spill.store.StoreFullException;
import io.sluice.spill.store.StoreStats.TierStats;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Stream;

/**
 * Compares a recovered store, byte for byte, with the ledger, and settles there what was in flight.
 *
 * <p>Thread contract: one thread, while nobody writes to the store. Ownership: of neither.
 */
final class Verifier {
  private final SpillStore store;
  private final PlugLedger ledger;
  private final List<String> problems = new ArrayList<>();
  private int acknowledged;
  private int found;
  private int inFlightFound;
  private int inFlightAbsent;
  private long visibleBytes;

  private Verifier(SpillStore store, PlugLedger ledger) {
    this.store = store;
    this.ledger = ledger;
  }

  static Verdict verify(SpillStore store, PlugLedger ledger) throws IOException {
    return new Verifier(store, ledger).verify();
  }

  private Verdict verify() throws IOException {
    for (SeededOutput output : ledger.outputs()) {
      verify(output);
    }
    int visible = found + inFlightFound;
    if (problems.isEmpty() && store.stats().outputs() != visible) {
      problems.add(
          "%d outputs are visible, %d are known".formatted(store.stats().outputs(), visible));
    }
    long lostBytes = lostBytes();
    return new Verdict(
        acknowledged, found, inFlightFound, inFlightAbsent, lostBytes, List.copyOf(problems));
  }

  private void verify(SeededOutput output) throws IOException {
    Optional<CommittedOutput> committed = store.find(output.id());
    Optional<String> difference = Optional.empty();
    if (committed.isPresent()) {
      visibleBytes += committed.get().extents().stream().mapToLong(Extent::lengthBytes).sum();
      difference = difference(output, committed.get());
      difference.ifPresent(text -> problems.add(output.id() + " is altered: " + text));
    }
    switch (ledger.expectation(output)) {
      case PRESENT -> {
        acknowledged++;
        if (committed.isEmpty()) {
          problems.add(output.id() + " was acknowledged and is missing");
        } else if (difference.isEmpty()) {
          found++;
        }
      }
      case ABSENT -> {
        if (committed.isPresent()) {
          problems.add(output.id() + " is visible although it was freed or never committed");
        }
      }
      case EITHER -> {
        if (committed.isPresent()) {
          inFlightFound++;
        } else {
          inFlightAbsent++;
        }
        ledger.settle(output, committed.isPresent());
      }
      default -> throw new AssertionError();
    }
  }

  private Optional<String> difference(SeededOutput output, CommittedOutput committed)
      throws IOException {
    if (committed.partitionCount() != output.partitions()) {
      return Optional.of("it has " + committed.partitionCount() + " partitions");
    }
    try (SegmentMapper mapper = new SegmentMapper(SegmentOpener.BY_NAME, this::segment)) {
      for (int partition = 0; partition < output.partitions(); partition++) {
        int current = partition;
        List<SeededOutput.Piece> pieces =
            output.pieces().stream().filter(piece -> piece.partition() == current).toList();
        List<LocatedRun> runs = committed.runs(partition);
        if (runs.size() != pieces.size()) {
          return Optional.of("partition " + partition + " has " + runs.size() + " runs");
        }
        for (int i = 0; i < runs.size(); i++) {
          if (!same(mapper, runs.get(i), pieces.get(i).bytes())) {
            return Optional.of("run " + i + " of partition " + partition);
          }
        }
      }
    }
    return Optional.empty();
  }

  private SegmentInfo segment(int segmentId) {
    return store.segment(segmentId).map(SegmentHandle::info).orElse(null);
  }

  private static boolean same(SegmentMapper mapper, LocatedRun located, byte[] expected)
      throws IOException {
    Run run = located.run();
    if (run.lengthBytes() != expected.length
        || !run.checksums().equals(BlockChecksummer.sum(ByteBuffer.wrap(expected)))) {
      return false;
    }
    try (MappedRanges mapped = mapper.map(located.location().ranges())) {
      int doneBytes = 0;
      for (ByteBuffer buffer : mapped.buffers()) {
        int lengthBytes = buffer.remaining();
        if (buffer.mismatch(ByteBuffer.wrap(expected, doneBytes, lengthBytes)) >= 0) {
          return false;
        }
        doneBytes += lengthBytes;
      }
    }
    return true;
  }

  /** Capacity that is in no visible output must be there to lease, all of it at once. */
  private long lostBytes() throws IOException {
    long restBytes = store.stats().memory().capacityBytes() - visibleBytes;
    if (restBytes == 0) {
      return 0;
    }
    try (Lease lease = store.openLease("application_space")) {
      lease.lease(restBytes);
      return 0;
    } catch (StoreFullException e) {
      problems.add("space is lost: " + e.getMessage());
      TierStats filled = store.stats().memory(); // the refusal has waited for the filler
      return restBytes - (filled.createdBytes() - filled.usedBytes());
    }
  }

  /**
   * The result of a verification.
   *
   * @param acknowledged outputs that must be there
   * @param found those of them that are there, every byte as written
   * @param inFlightFound outputs of an interrupted commit or free that are there, every byte
   * @param inFlightAbsent outputs of an interrupted commit or free that are not there
   * @param lostBytes of the capacity that neither lie in a visible output nor can be leased
   * @param problems one sentence for everything that must not be
   */
  record Verdict(
      int acknowledged,
      int found,
      int inFlightFound,
      int inFlightAbsent,
      long lostBytes,
      List<String> problems) {

    boolean passed() {
      return problems.isEmpty();
    }

    /** This one, with the losses and problems that another look at the same store found. */
    Verdict and(Verdict later) {
      List<String> all = Stream.concat(problems.stream(), later.problems.stream()).toList();
      return new Verdict(
          acknowledged, found, inFlightFound, inFlightAbsent, lostBytes + later.lostBytes, all);
    }

    String toText() {
      return "%d acknowledged, %d found, %s in flight, %d bytes lost"
          .formatted(acknowledged, found, inFlight(), lostBytes);
    }

    private String inFlight() {
      if (inFlightFound + inFlightAbsent == 0) {
        return "none";
      }
      String whole = inFlightFound > 0 ? inFlightFound + " whole" : "";
      String absent = inFlightAbsent > 0 ? inFlightAbsent + " absent" : "";
      return whole + (whole.isEmpty() || absent.isEmpty() ? "" : " and ") + absent;
    }

    void write(Path file) {
      Properties properties = new Properties();
      properties.setProperty("acknowledged", Integer.toString(acknowledged));
      properties.setProperty("found", Integer.toString(found));
      properties.setProperty("inFlightFound", Integer.toString(inFlightFound));
      properties.setProperty("inFlightAbsent", Integer.toString(inFlightAbsent));
      properties.setProperty("lostBytes", Long.toString(lostBytes));
      properties.setProperty("problems", String.join("\n", problems));
      try (var out = Files.newOutputStream(file)) {
        properties.store(out, null);
      } catch (IOException e) {
        throw new UncheckedIOException("cannot write " + file, e);
      }
    }

    static Verdict read(Path file) {
      Properties properties = new Properties();
      try (var in = Files.newInputStream(file)) {
        properties.load(in);
      } catch (IOException e) {
        throw new UncheckedIOException("cannot read " + file, e);
      }
      return new Verdict(
          Integer.parseInt(properties.getProperty("acknowledged")),
          Integer.parseInt(properties.getProperty("found")),
          Integer.parseInt(properties.getProperty("inFlightFound")),
          Integer.parseInt(properties.getProperty("inFlightAbsent")),
          Long.parseLong(properties.getProperty("lostBytes")),
          properties.getProperty("problems").lines().toList());
    }
  }
}
