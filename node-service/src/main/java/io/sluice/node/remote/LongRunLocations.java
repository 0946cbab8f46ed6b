package io.sluice.node.remote;

import io.sluice.node.remote.OutputLocations.SegmentLocation;
import io.sluice.node.wire.Frames;
import io.sluice.spill.format.PartitionRuns;
import io.sluice.spill.format.PartitionRuns.RunEntry;
import io.sluice.spill.segment.PoolPaths;
import io.sluice.spill.store.CommittedOutput;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.SocketTimeoutException;
import java.util.Map;
import java.util.OptionalInt;

/**
 * Where one partition of one output lies, if that is too long for a {@link OutputLocations}: its
 * runs are read from the index while they are sent, so that nobody has to wait for heap. It reads
 * as a description does, with no bytes inlined.
 *
 * <p>Thread contract: one thread. Failure: {@link IOException} if the index cannot be read, {@link
 * EOFException} if the output has left its place meanwhile. No byte is sent that was read after
 * that, and the reader asks again, since the answer ends in the middle.
 */
public final class LongRunLocations implements Frames.Payload {
  private final CommittedOutput output;
  private final int partition;
  private final Map<Integer, SegmentLocation> segments;
  private final PoolPaths places;
  private final int lengthBytes;

  /**
   * Of what was read once, so that what cannot be read was found before anything is sent.
   *
   * @param segments by id, every one that the runs touch
   * @param runsBytes what all of them take, as {@link OutputLocations#runBytes} has it for each
   */
  public LongRunLocations(
      CommittedOutput output,
      int partition,
      Map<Integer, SegmentLocation> segments,
      PoolPaths places,
      long runsBytes)
      throws IOException {
    this.output = output;
    this.partition = partition;
    this.segments = segments;
    this.places = places;
    DataOutputStream head = new DataOutputStream(OutputStream.nullOutputStream());
    writeHead(head, 0);
    this.lengthBytes = Math.toIntExact(head.size() + runsBytes);
  }

  @Override
  public OptionalInt announcedBytes() {
    return OptionalInt.of(lengthBytes);
  }

  @Override
  public void writeTo(DataOutputStream out) throws IOException {
    try {
      writeAll(out);
    } catch (SocketTimeoutException e) {
      throw e;
    } catch (IOException e) {
      if (output.location().isHeld()) {
        throw e;
      }
      EOFException moved = new EOFException(output.id() + " left its place while it was described");
      moved.initCause(e);
      throw moved;
    }
  }

  private void writeAll(DataOutputStream out) throws IOException {
    PartitionRuns runs = output.partitionRuns(partition);
    writeHead(out, runs.count());
    for (int ordinal = 0; ordinal < runs.count(); ordinal++) {
      RunEntry run = runs.next();
      RemoteProtocol.writeRun(
          out, partition, ordinal, run.lengthBytes(), run.rawLengths(), run.records());
      out.writeInt(run.firstCrc32c());
      while (runs.hasFurtherCrc()) {
        out.writeInt(runs.nextFurtherCrc());
      }
      RemoteProtocol.writeRanges(out, output.ranges(run, 0, run.lengthBytes()));
      RemoteProtocol.writeNotInlined(out);
    }
  }

  private void writeHead(DataOutputStream out, int runCount) throws IOException {
    RemoteProtocol.writeSegments(out, segments, places);
    out.writeInt(1);
    RemoteProtocol.writeOutput(
        out, output.id().outputId(), runCount == 0 ? 0 : output.location().generation());
    out.writeInt(runCount);
  }
}
