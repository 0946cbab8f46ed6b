package io.sluice.node.client;

import io.sluice.node.client.RunPacker.SegmentShape;
import io.sluice.node.remote.OutputLocations;
import io.sluice.node.remote.OutputLocations.SegmentLocation;
import io.sluice.node.wire.NodeAddress;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.spill.cipher.ShuffleKey;
import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.format.LocatedRun;
import io.sluice.spill.format.LocatedRun.RunLocation;
import io.sluice.spill.format.Run;
import io.sluice.spill.segment.Range;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.SegmentMapper;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Predicate;

/**
 * The runs that one answer of a node has located, packed, because a reducer keeps a million of
 * them. A caller keeps the offset of an output or a run in here; a {@code NodeRun} of that reads
 * it.
 *
 * <pre>
 *   number of shapes, then per {@link SegmentShape}
 *     place, length, unit of mappings,
 *     number of transports, then per transport: bytes name, length of the region
 *   number of segments, then per segment
 *     id, incarnation, offset in the file, number of its shape,
 *     then per transport of that: region id, bytes provider data, int64 key
 *   then per output                                     &lt;- offset of the output
 *     bytes id, without what all ids begin with
 *     number of runs, then per run                      &lt;- offset of the run
 *       flags: 1 if it is read in place, and twice the binary logarithm of the chunks' length,
 *       length, raw length, records, partition, ordinal, distance from the output's offset,
 *       generation of the place,
 *       int32 CRC-32C per block of 32 KiB, at least one,
 *       number of ranges, then per range: segment id, offset, length of all ranges behind it
 * </pre>
 *
 * All numbers are {@link PackedNumbers}; bytes come behind their number.
 *
 * <p>Thread contract: immutable.
 */
public final class LocatedRuns {
  private static final int FLAGS = 0;
  private static final int LENGTH = 1;
  private static final int RAW_LENGTH = 2;
  private static final int RECORDS = 3;
  private static final int PARTITION = 4;
  private static final int ORDINAL = 5;
  private static final int BEHIND_OUTPUT = 6;
  private static final int GENERATION = 7;
  private static final int FIELDS = 8;

  private static final int RANGE_FIELDS = 3;

  private final RemoteNode node;
  private final Task task;
  private final UUID poolId;
  private final String idPrefix;
  private final byte[] packed;

  /**
   * The values that all runs of a reader share.
   *
   * @param applicationId of the outputs
   * @param mapper reads those that lie in the pool of this node
   * @param key that the outputs are encrypted with, or null if they are not
   */
  record Task(String applicationId, SegmentMapper mapper, ShuffleKey key) {}

  /**
   * Of an answer.
   *
   * @param node that has answered
   * @param outputs by id, filled with the offset of each output
   * @param inPlace which runs are read where they lie, in the pool of this node
   */
  LocatedRuns(
      RemoteNode node,
      Task task,
      OutputLocations description,
      Map<String, Integer> outputs,
      Predicate<LocatedRun> inPlace) {
    this.node = node;
    this.task = task;
    this.poolId = poolOf(description);
    RunPacker packer = new RunPacker(description, node.places(poolId), inPlace);
    this.idPrefix = packer.idPrefix();
    this.packed = packer.packed();
    outputs.putAll(packer.outputs());
  }

  /** The one of all its runs; null if it has none. */
  private static UUID poolOf(OutputLocations description) {
    return description.runs().values().stream()
        .flatMap(List::stream)
        .findAny()
        .map(run -> run.location().poolId())
        .orElse(null);
  }

  /** The node that has answered. */
  RemoteNode node() {
    return node;
  }

  /** The reader that has asked. */
  Task task() {
    return task;
  }

  /** The node that they were located at. */
  public NodeAddress address() {
    return node.address();
  }

  /** The id of an output. */
  public String outputId(int output) {
    return idPrefix + new Numbers(output).nextText();
  }

  /** The offset of the output that a run belongs to. */
  public int outputOf(int run) {
    return run - (int) field(run, BEHIND_OUTPUT);
  }

  /** The offsets of an output's runs, in the order of the partitions. */
  public int[] runsOf(int output) {
    Numbers numbers = new Numbers(output);
    numbers.nextText();
    int[] runs = new int[numbers.nextInt()];
    for (int i = 0; i < runs.length; i++) {
      runs[i] = numbers.at;
      numbers.at = rangesOf(numbers.at);
      int ranges = numbers.nextInt();
      numbers.at = PackedNumbers.behind(packed, numbers.at, RANGE_FIELDS * ranges);
    }
    return runs;
  }

  /** Whether all runs of an output lie in the memory of this node's own pool. */
  public boolean isLocalOutput(int output) {
    for (int run : runsOf(output)) {
      if (!isLocal(run)) {
        return false;
      }
    }
    return true;
  }

  /** Whether it lies in the memory of this node's own pool and needs no transfer. */
  public boolean isLocal(int run) {
    return (field(run, FLAGS) & RunPacker.IN_PLACE) != 0;
  }

  /** Bytes of a run as they are stored. */
  public long lengthBytes(int run) {
    return field(run, LENGTH);
  }

  /** Bytes that are read of it, decompressed. */
  public long rawLengthBytes(int run) {
    return field(run, RAW_LENGTH);
  }

  /** Raw length of its chunks; 0 without. */
  public int chunkBytes(int run) {
    int log = (int) field(run, FLAGS) >> 1;
    return log == 0 ? 0 : 1 << log;
  }

  /** Mean length of its records, before they were compressed. */
  public long meanRecordBytes(int run) {
    return rawLengthBytes(run) / Math.max(1, field(run, RECORDS));
  }

  /** The partition it belongs to. */
  int partition(int run) {
    return (int) field(run, PARTITION);
  }

  /** How messages call it. */
  public String name(int run) {
    return outputId(outputOf(run))
        + " partition "
        + partition(run)
        + " run "
        + field(run, ORDINAL)
        + " at "
        + node.name();
  }

  private long field(int run, int number) {
    return PackedNumbers.at(packed, PackedNumbers.behind(packed, run, number));
  }

  /** Where the ranges of a run begin. */
  private int rangesOf(int run) {
    return PackedNumbers.behind(packed, run, FIELDS)
        + Integer.BYTES * (1 + (int) BlockChecksums.furtherBlocks(lengthBytes(run)));
  }

  /** All that the answer said of a run. */
  LocatedRun located(int run) {
    long lengthBytes = lengthBytes(run);
    ByteBuffer crcs = ByteBuffer.wrap(packed).position(PackedNumbers.behind(packed, run, FIELDS));
    int first = crcs.getInt();
    int[] further = new int[(int) BlockChecksums.furtherBlocks(lengthBytes)];
    for (int i = 0; i < further.length; i++) {
      further[i] = crcs.getInt();
    }
    return new LocatedRun(
        new Run(
            partition(run),
            (int) field(run, ORDINAL),
            lengthBytes,
            rawLengthBytes(run),
            chunkBytes(run),
            field(run, RECORDS),
            BlockChecksums.of(first, further)),
        new RunLocation(poolId, field(run, GENERATION), ranges(crcs.position(), lengthBytes)));
  }

  private List<Range> ranges(int start, long lengthBytes) {
    Numbers numbers = new Numbers(start);
    int count = numbers.nextInt();
    List<Range> ranges = new ArrayList<>(count);
    long leftBytes = lengthBytes;
    for (int i = 0; i < count; i++) {
      int segmentId = numbers.nextInt();
      long offsetBytes = numbers.next();
      long behindBytes = numbers.next();
      ranges.add(new Range(segmentId, offsetBytes, leftBytes - behindBytes));
      leftBytes = behindBytes;
    }
    return List.copyOf(ranges);
  }

  /** By id, where the segments of a place are; one that the answer left out is absent. */
  Map<Integer, SegmentLocation> segments(RunLocation place) {
    Map<Integer, SegmentLocation> segments = new HashMap<>();
    Numbers numbers = new Numbers(0);
    List<SegmentShape> shapes = shapes(numbers);
    for (int left = numbers.nextInt(); left > 0; left--) {
      int id = numbers.nextInt();
      int incarnation = numbers.nextInt();
      long fileOffsetBytes = numbers.next();
      SegmentShape shape = shapes.get(numbers.nextInt());
      Map<String, RegionDescriptor> regions = regions(shape, numbers);
      if (place.ranges().stream().anyMatch(range -> range.segmentId() == id)) {
        SegmentInfo info =
            new SegmentInfo(
                id,
                incarnation,
                SegmentInfo.tierOf(id),
                path(shape.place(), id, incarnation),
                fileOffsetBytes,
                shape.lengthBytes(),
                shape.mapUnitBytes());
        segments.put(id, new SegmentLocation(info, regions));
      }
    }
    return segments;
  }

  private static List<SegmentShape> shapes(Numbers numbers) {
    List<SegmentShape> shapes = new ArrayList<>();
    for (int left = numbers.nextInt(); left > 0; left--) {
      int place = numbers.nextInt();
      long lengthBytes = numbers.next();
      int mapUnitBytes = numbers.nextInt();
      List<String> transports = new ArrayList<>();
      List<Long> regionsBytes = new ArrayList<>();
      for (int regions = numbers.nextInt(); regions > 0; regions--) {
        transports.add(numbers.nextText());
        regionsBytes.add(numbers.next());
      }
      shapes.add(new SegmentShape(place, lengthBytes, mapUnitBytes, transports, regionsBytes));
    }
    return shapes;
  }

  private Map<String, RegionDescriptor> regions(SegmentShape shape, Numbers numbers) {
    Map<String, RegionDescriptor> regions = new HashMap<>();
    for (int i = 0; i < shape.transports().size(); i++) {
      long regionId = numbers.next();
      byte[] providerData = numbers.nextBytes();
      long key = ByteBuffer.wrap(packed).getLong(numbers.at);
      numbers.at += Long.BYTES;
      regions.put(
          shape.transports().get(i),
          new RegionDescriptor(regionId, key, shape.regionsBytes().get(i), providerData));
    }
    return regions;
  }

  private Path path(int place, int segmentId, int incarnation) {
    try {
      return node.places(poolId).path(place, segmentId, incarnation);
    } catch (IOException e) {
      throw new IllegalStateException("a segment was found when it was described, not now", e);
    }
  }

  /** The numbers behind an offset, one after the other. */
  private final class Numbers {
    private int at;

    Numbers(int at) {
      this.at = at;
    }

    long next() {
      long number = PackedNumbers.at(packed, at);
      at = PackedNumbers.behind(packed, at, 1);
      return number;
    }

    int nextInt() {
      return (int) next();
    }

    byte[] nextBytes() {
      int length = nextInt();
      at += length;
      return Arrays.copyOfRange(packed, at - length, at);
    }

    String nextText() {
      return new String(nextBytes(), StandardCharsets.UTF_8);
    }
  }
}
