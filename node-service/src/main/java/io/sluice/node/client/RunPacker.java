package io.sluice.node.client;

import io.sluice.node.remote.OutputLocations;
import io.sluice.node.remote.OutputLocations.SegmentLocation;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.spill.format.LocatedRun;
import io.sluice.spill.format.Run;
import io.sluice.spill.segment.PoolPaths;
import io.sluice.spill.segment.Range;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Writes what {@code LocatedRuns} reads, and draws.
 *
 * <p>Thread contract: one thread, for one answer.
 */
final class RunPacker {
  /** Of the flags of a run. */
  static final int IN_PLACE = 1;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final String idPrefix;
  private final Map<String, Integer> outputs = new LinkedHashMap<>();

  /**
   * Packs an answer.
   *
   * @param places of the pool that it is about
   * @param inPlace which runs are read where they lie
   */
  RunPacker(OutputLocations description, PoolPaths places, Predicate<LocatedRun> inPlace) {
    this.idPrefix = commonPrefix(description.runs().keySet());
    List<SegmentLocation> segments = touched(description);
    List<SegmentShape> all = segments.stream().map(each -> SegmentShape.of(each, places)).toList();
    List<SegmentShape> shapes = all.stream().distinct().toList();
    number(shapes.size());
    shapes.forEach(this::shape);
    number(segments.size());
    for (int i = 0; i < segments.size(); i++) {
      segment(segments.get(i), all.get(i), shapes.indexOf(all.get(i)));
    }
    description.runs().forEach((outputId, runs) -> output(outputId, runs, inPlace));
  }

  /** With which all ids begin. */
  String idPrefix() {
    return idPrefix;
  }

  /** By id, where each output begins. */
  Map<String, Integer> outputs() {
    return outputs;
  }

  /** All of it. */
  byte[] packed() {
    return out.toByteArray();
  }

  private static String commonPrefix(Collection<String> ids) {
    String prefix = null;
    for (String id : ids) {
      prefix = prefix == null ? id : commonPrefix(prefix, id);
    }
    return prefix == null ? "" : prefix;
  }

  private static String commonPrefix(String one, String other) {
    int length = 0;
    while (length < Math.min(one.length(), other.length())
        && one.charAt(length) == other.charAt(length)) {
      length++;
    }
    return one.substring(0, length);
  }

  /** An answer may be about runs that were left out since. */
  private static List<SegmentLocation> touched(OutputLocations description) {
    Set<Integer> ids = new HashSet<>();
    for (List<LocatedRun> runs : description.runs().values()) {
      for (LocatedRun run : runs) {
        run.location().ranges().forEach(range -> ids.add(range.segmentId()));
      }
    }
    return description.segments().values().stream()
        .filter(segment -> ids.contains(segment.segment().segmentId()))
        .toList();
  }

  private void shape(SegmentShape shape) {
    number(shape.place());
    number(shape.lengthBytes());
    number(shape.mapUnitBytes());
    number(shape.transports().size());
    for (int i = 0; i < shape.transports().size(); i++) {
      bytes(shape.transports().get(i).getBytes(StandardCharsets.UTF_8));
      number(shape.regionsBytes().get(i));
    }
  }

  private void segment(SegmentLocation location, SegmentShape shape, int numberOfShape) {
    number(location.segment().segmentId());
    number(location.segment().incarnation());
    number(location.segment().fileOffsetBytes());
    number(numberOfShape);
    for (String transport : shape.transports()) {
      RegionDescriptor region = location.regions().get(transport);
      number(region.regionId());
      bytes(region.providerData());
      fixed(ByteBuffer.allocate(Long.BYTES).putLong(region.key()));
    }
  }

  private void output(String outputId, List<LocatedRun> runs, Predicate<LocatedRun> inPlace) {
    int start = out.size();
    outputs.put(outputId, start);
    bytes(outputId.substring(idPrefix.length()).getBytes(StandardCharsets.UTF_8));
    number(runs.size());
    for (LocatedRun located : runs) {
      run(located, inPlace.test(located), out.size() - start);
    }
  }

  private void run(LocatedRun located, boolean inPlace, int behindOutput) {
    Run run = located.run();
    number(flags(inPlace, run.chunkBytes()));
    number(run.lengthBytes());
    number(run.rawLengthBytes());
    number(run.records());
    number(run.partition());
    number(run.ordinal());
    number(behindOutput);
    number(located.location().generation());
    for (int block = 0; block <= run.checksums().furtherCount(); block++) {
      fixed(ByteBuffer.allocate(Integer.BYTES).putInt(run.checksums().crc32c(block)));
    }
    List<Range> ranges = located.location().ranges();
    number(ranges.size());
    long leftBytes = run.lengthBytes();
    for (Range range : ranges) {
      leftBytes -= range.lengthBytes();
      number(range.segmentId());
      number(range.offsetBytes());
      number(leftBytes);
    }
  }

  private static int flags(boolean inPlace, int chunkBytes) {
    int log = chunkBytes == 0 ? 0 : Integer.numberOfTrailingZeros(chunkBytes);
    return 2 * log + (inPlace ? IN_PLACE : 0);
  }

  private void number(long number) {
    PackedNumbers.write(out, number);
  }

  private void bytes(byte[] bytes) {
    number(bytes.length);
    out.write(bytes, 0, bytes.length);
  }

  private void fixed(ByteBuffer bytes) {
    out.write(bytes.array(), 0, bytes.capacity());
  }

  /**
   * The values that most segments of a pool share.
   *
   * @param place its number
   * @param lengthBytes of the segment
   * @param mapUnitBytes as {@code SegmentInfo} has it
   * @param transports for which it has regions
   * @param regionsBytes how long these are
   */
  record SegmentShape(
      int place,
      long lengthBytes,
      int mapUnitBytes,
      List<String> transports,
      List<Long> regionsBytes) {

    static SegmentShape of(SegmentLocation location, PoolPaths places) {
      List<String> transports = new ArrayList<>(location.regions().keySet());
      return new SegmentShape(
          places.numberOf(location.segment()),
          location.segment().lengthBytes(),
          location.segment().mapUnitBytes(),
          transports,
          transports.stream().map(each -> location.regions().get(each).lengthBytes()).toList());
    }
  }
}
