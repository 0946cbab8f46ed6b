package io.sluice.spill.store;

import io.sluice.spill.format.CorruptOutputException;
import io.sluice.spill.format.FooterLayout;
import io.sluice.spill.format.FooterLayout.FooterLocation;
import io.sluice.spill.format.FooterReader;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.format.OutputIdentity;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.Range;
import io.sluice.spill.segment.Tier;
import io.sluice.spill.store.OutputLoader.CheckedIndexes;
import io.sluice.spill.store.OutputLocation.UnreadableSegmentException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the committed outputs in the segments of a former store by looking at the end of every
 * block. A user can write any bytes to its own segments, so an output in a segment of another owner
 * than its application's is not believed.
 *
 * <p>Outputs that claim the same blocks or have the same id are all left out, since one of them is
 * forged. The engine makes a missing output again, but not one with wrong bytes. An output that was
 * found twice with one identity was being moved, and the later location counts. Where outputs are
 * to have copies the later location may be the copy.
 *
 * <p>Thread contract: one thread. Failure: {@link IOException} of the memory tier; what is not
 * valid is left out and logged, as is what lies in a file of the disk tier that cannot be read.
 */
final class Recovery {
  private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);

  private final OutputLoader loader;
  private final int blockBytes;
  private final long generationBound;
  private final Function<String, Optional<Owner>> owners;
  private final BiConsumer<SegmentHandle, IOException> unreadable;
  private final boolean keepsCopies;
  private final CheckedIndexes indexes;
  private final BlockSet claimed;
  private final BlockSet claimedTwice;
  private final Set<CommittedOutput> left = new HashSet<>(); // a user may forge many
  private final Map<CommittedOutput, CommittedOutput> copies = new HashMap<>(); // of which output
  private long forged;

  /**
   * Creates a scan.
   *
   * @param generationBound above the generation of every valid output
   * @param owners whose an application is, if that is known
   * @param unreadable is told of files of the disk tier that cannot be read
   * @param keepsCopies whether outputs in memory are to have copies on disk
   */
  Recovery(
      OutputLoader loader,
      int blockBytes,
      long generationBound,
      Function<String, Optional<Owner>> owners,
      BiConsumer<SegmentHandle, IOException> unreadable,
      boolean keepsCopies) {
    this.loader = loader;
    this.blockBytes = blockBytes;
    this.generationBound = generationBound;
    this.owners = owners;
    this.unreadable = unreadable;
    this.keepsCopies = keepsCopies;
    this.indexes = new CheckedIndexes(blockBytes);
    this.claimed = new BlockSet(blockBytes);
    this.claimedTwice = new BlockSet(blockBytes);
  }

  List<CommittedOutput> scan(Collection<SegmentHandle> segments) throws IOException {
    List<CommittedOutput> found = new ArrayList<>();
    for (SegmentHandle segment : segments) {
      try {
        scan(segment, found);
      } catch (IOException e) {
        leaveOut(segment, e);
      }
    }
    found.removeAll(indexes.contested());
    divide(found);
    found.removeAll(left);
    Set<CommittedOutput> contested = contested(found);
    found.removeAll(contested);
    found.removeAll(copies.keySet());
    Set<OutputId> kept = found.stream().map(CommittedOutput::id).collect(Collectors.toSet());
    copies.keySet().removeIf(copy -> contested.contains(copy) || !kept.contains(copy.id()));
    return found;
  }

  /** Tells apart what was found of one output. */
  private void divide(List<CommittedOutput> found) {
    Map<OutputIdentity, CommittedOutput> last = new HashMap<>();
    Map<OutputIdentity, CommittedOutput> before = new HashMap<>();
    for (CommittedOutput output : found) {
      last.merge(output.identity(), output, Recovery::later);
    }
    for (CommittedOutput output : found) {
      if (output.location().generation() < last.get(output.identity()).location().generation()) {
        before.merge(output.identity(), output, Recovery::later);
        left.add(output);
      }
    }
    if (keepsCopies) {
      before.forEach((identity, output) -> keepCopy(output, last.get(identity)));
    }
  }

  /** Two whole locations of one output, in whatever way they came about. */
  private void keepCopy(CommittedOutput output, CommittedOutput copy) {
    if (output.location().bytesOf(Tier.MEMORY) > 0 && copy.location().bytesOf(Tier.MEMORY) == 0) {
      left.remove(output);
      copies.put(copy, output);
    }
  }

  private static CommittedOutput later(CommittedOutput one, CommittedOutput other) {
    return one.location().generation() < other.location().generation() ? other : one;
  }

  /** Its outputs are missing, and made again. */
  private void leaveOut(SegmentHandle segment, IOException cause) throws IOException {
    if (!segment.isTrusted()) {
      LOG.warn(
          "{} cannot be read, its owner may have cut it: {}", segment.info(), cause.toString());
    } else if (segment.info().tier() == Tier.MEMORY) {
      throw cause;
    } else {
      unreadable.accept(segment, cause);
    }
  }

  /** Locations that outputs had left, but for the mark, which is to be cleared. */
  Set<CommittedOutput> left() {
    return left;
  }

  /** Those on disk of outputs that lie in memory, by the output. */
  Map<OutputId, CommittedOutput> copies() {
    return copies.keySet().stream().collect(Collectors.toMap(CommittedOutput::id, copy -> copy));
  }

  /** How many outputs lay in segments of another owner than their application's. */
  long forged() {
    return forged;
  }

  private void scan(SegmentHandle segment, List<CommittedOutput> found) throws IOException {
    long fromBytes = 0; // no byte of it is read as part of two locations
    for (long end = blockBytes; end <= segment.lengthBytes(); end += blockBytes) {
      if (FooterReader.looksCommitted(segment, end)) {
        load(segment, fromBytes, end, found);
        fromBytes = end;
      }
    }
  }

  private void load(
      SegmentHandle segment, long fromBytes, long endBytes, List<CommittedOutput> found)
      throws IOException {
    FooterLocation footer =
        new FooterLocation(segment.info().segmentId(), endBytes - FooterLayout.TRAILER_BYTES);
    try {
      found.add(
          loader.load(
              footer,
              fromBytes,
              segment.owner(),
              Integer.MAX_VALUE, // one location is read at a time
              (identity, location) -> {
                checkOwner(identity.id(), segment);
                checkGeneration(identity.id(), location);
                CommittedOutput output = indexes.load(identity, location);
                claim(output);
                return output;
              }));
    } catch (CorruptOutputException e) {
      LOG.warn("Left out an output that is not valid, at {}: {}", footer, e.getMessage());
    } catch (UnreadableSegmentException e) {
      if (e.segment() == segment) {
        throw e;
      }
      leaveOut(e.segment(), e); // an output lies partly there: the others here do not
    }
  }

  /**
   * The end of a location may lie on disk and outlive what it had in memory, where others' bytes
   * may lie in its stead by now.
   */
  private void checkGeneration(OutputId id, OutputLocation location) throws IOException {
    long generation = location.generation();
    if (generation < 0 || generation >= generationBound) {
      throw new CorruptOutputException(
          id + " has generation " + generation + ", expected 0 to " + (generationBound - 1));
    }
    if (location.bytesOf(Tier.MEMORY) > 0
        && GenerationCounter.livesBefore(generation)
            != GenerationCounter.livesBefore(generationBound)) {
      throw new CorruptOutputException(
          id + " has generation " + generation + ", and the memory of then was lost");
    }
  }

  /**
   * No block is part of more than two locations of one output. So what is kept of all locations
   * takes no more room than there are blocks, however many locations somebody forges.
   */
  private void claim(CommittedOutput output) throws IOException {
    for (Extent extent : output.extents()) {
      if (!claimedTwice.isDisjoint(extent.range())) {
        throw new CorruptOutputException(
            output.id() + " claims blocks of " + extent.range() + ", as two others do");
      }
    }
    for (Extent extent : output.extents()) {
      claimed.addWhatIsNew(extent.range(), claimedTwice);
    }
  }

  private void checkOwner(OutputId id, SegmentHandle segment) throws IOException {
    Optional<Owner> owner = owners.apply(id.applicationId());
    if (owner.isPresent() ? !owner.get().equals(segment.owner()) : !segment.isTrusted()) {
      forged++;
      throw new CorruptOutputException(
          "%s lies in a segment of user id %s, expected %s"
              .formatted(
                  id,
                  segment.owner(),
                  owner.map(Owner::toString).orElse("none: nobody knows the application")));
    }
  }

  /** A range that an output claims. */
  private record Claim(Range range, CommittedOutput output) {
    static final Comparator<Claim> BY_OFFSET =
        Comparator.<Claim>comparingInt(claim -> claim.range.segmentId())
            .thenComparingLong(claim -> claim.range.offsetBytes());

    boolean goesOnIn(Claim next) {
      return range.segmentId() == next.range.segmentId()
          && range.endBytes() > next.range.offsetBytes();
    }
  }

  private Set<CommittedOutput> contested(List<CommittedOutput> found) { // copies among them
    Set<CommittedOutput> contested = new HashSet<>();
    Map<OutputId, CommittedOutput> named = new HashMap<>();
    List<Claim> claims = new ArrayList<>();
    for (CommittedOutput output : found) {
      CommittedOutput original = copies.get(output);
      CommittedOutput other = original == null ? named.putIfAbsent(output.id(), output) : null;
      if (other != null) {
        contest(contested, other, output, output.id());
      }
      List<Extent> own = // what an output has on disk is its copy's, too
          original == null
              ? output.extents()
              : output.location().extentsBeside(original.location());
      own.forEach(extent -> claims.add(new Claim(extent.range(), output)));
    }
    claims.sort(Claim.BY_OFFSET);
    Claim furthest = null; // each that goes on at some location shares it with this one
    for (Claim claim : claims) {
      boolean goesOn = furthest != null && furthest.goesOnIn(claim);
      if (goesOn) {
        contest(contested, furthest.output(), claim.output(), claim.range());
      }
      if (!goesOn || claim.range().endBytes() > furthest.range().endBytes()) {
        furthest = claim;
      }
    }
    return contested;
  }

  private static void contest(
      Set<CommittedOutput> contested, CommittedOutput one, CommittedOutput other, Object what) {
    if (contested.add(one) | contested.add(other)) { // once for each, however much it claims
      LOG.warn("Left out {} and {}: both claim {}", one.id(), other.id(), what);
    }
  }
}
