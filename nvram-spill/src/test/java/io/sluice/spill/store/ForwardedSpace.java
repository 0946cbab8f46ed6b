package io.sluice.spill.store;

import io.sluice.spill.segment.Owner;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** A place that does what another one does; a test changes some of it. */
class ForwardedSpace implements PoolSpace {
  private final PoolSpace space;

  ForwardedSpace(PoolSpace space) {
    this.space = space;
  }

  @Override
  public Optional<PoolHeader> header() throws IOException {
    return space.header();
  }

  @Override
  public void clear() throws IOException {
    space.clear();
  }

  @Override
  public boolean renewsMemory() {
    return space.renewsMemory();
  }

  @Override
  public boolean outlivesLoss() {
    return space.outlivesLoss();
  }

  @Override
  public void format(PoolHeader header) throws IOException {
    space.format(header);
  }

  @Override
  public MetaArea generation() throws IOException {
    return space.generation();
  }

  @Override
  public MetaArea leaseMarks() throws IOException {
    return space.leaseMarks();
  }

  @Override
  public List<Integer> segmentIds() throws IOException {
    return space.segmentIds();
  }

  @Override
  public SegmentHandle open(int segmentId) throws IOException {
    return space.open(segmentId);
  }

  @Override
  public SegmentHandle create(int segmentId, BooleanSupplier stopped) throws IOException {
    return space.create(segmentId, stopped);
  }

  @Override
  public void discard(SegmentHandle segment) throws IOException {
    space.discard(segment);
  }

  @Override
  public boolean servesOwners() {
    return space.servesOwners();
  }

  @Override
  public List<Integer> freeIds() throws IOException {
    return space.freeIds();
  }

  @Override
  public boolean makeFree(int segmentId, BooleanSupplier stopped) throws IOException {
    return space.makeFree(segmentId, stopped);
  }

  @Override
  public SegmentHandle claim(int segmentId, Owner owner) throws IOException {
    return space.claim(segmentId, owner);
  }

  @Override
  public void retire(SegmentHandle segment) throws IOException {
    space.retire(segment);
  }

  @Override
  public void close() throws IOException {
    space.close();
  }
}
