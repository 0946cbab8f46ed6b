package io.sluice.spill.ledger;

import io.sluice.spill.ledger.ModelTask.Hearing;
import java.util.List;
import java.util.Random;
import java.util.function.Function;

/** What a ledger is put through: schedules that are drawn, and some that are told. */
final class LedgerSchedules {
  private static final int[] CAPACITIES = {64, 128, 256, 512, 1024, 2048};

  private LedgerSchedules() {}

  /** Tasks of several applications on a node where much goes wrong. */
  static void random(Function<Long, MemoryLedger> maker, long seed) {
    Random random = new Random(seed);
    long capacity = CAPACITIES[random.nextInt(CAPACITIES.length)];
    LedgerModel model = new LedgerModel(maker, capacity, random);
    boolean none = random.nextInt(6) == 0;
    model.disk(
        none ? 0 : 20 + random.nextInt(500),
        random.nextInt(3) == 0 ? 0.2 : 0,
        random.nextInt(4) == 0 ? random.nextLong(1 + 2 * capacity) : Long.MAX_VALUE);
    model.disk.isShared = random.nextBoolean();
    model.lendsWithoutDisk = random.nextInt(4) > 0;
    model.asksNow = random.nextInt(3) > 0;
    if (random.nextInt(5) == 0) {
      model.outputsHaveCopies();
    }
    int applications = 1 + random.nextInt(4);
    for (int count = 1 + random.nextInt(14); count > 0; count--) {
      String application = "app-" + random.nextInt(applications);
      ModelTask task = task(model, application, random);
      long startMs = random.nextInt(6_000);
      model.at(startMs, task);
      if (random.nextInt(6) == 0) {
        model.time.in(startMs + random.nextInt(4_000), task::leave);
      } else if (random.nextInt(10) == 0) {
        model.time.in(startMs + random.nextInt(4_000), () -> task.frozen = true);
      }
    }
    if (random.nextInt(4) == 0) {
      model.time.in(random.nextInt(6_000), () -> model.disk.hang(random.nextInt(10_000)));
    }
    if (random.nextInt(10) == 0) {
      model.time.in(random.nextInt(8_000), model::restart);
    }
    if (random.nextInt(10) == 0) {
      model.time.in(random.nextInt(8_000), () -> model.end("app-0"));
    }
    if (random.nextInt(6) == 0) {
      long other = capacity / 2 + random.nextLong(capacity);
      model.time.in(
          random.nextInt(8_000),
          () -> model.apply(model.ledger.capacity(other, model.time.nowMs())));
    }
    model.run(() -> {});
  }

  private static ModelTask task(LedgerModel model, String application, Random random) {
    Hearing hearing =
        List.of(Hearing.GOOD, Hearing.GOOD, Hearing.DEAF, Hearing.NONE).get(random.nextInt(4));
    switch (random.nextInt(5)) {
      case 0:
        return new ModelReduce(model, application, hearing, 1 + random.nextInt(20));
      case 1:
        return new ModelWriter(model, application, 1 + random.nextInt(20));
      default:
        double ratio = List.of(1.0, 1.0, 0.3, 0.0).get(random.nextInt(4));
        long ownBytes = List.of(0L, 8L, 32L).get(random.nextInt(3));
        return new ModelMap(
                model, application, hearing, random.nextInt(300), 2 + random.nextInt(8), ratio)
            .withOwn(ownBytes);
    }
  }

  /** A lone map may use all memory, half of it for its runs. */
  static void alone(Function<Long, MemoryLedger> maker) {
    LedgerModel model = new LedgerModel(maker, 1024, new Random(1));
    model.disk(100, 0, Long.MAX_VALUE);
    ModelMap map = new ModelMap(model, "app", Hearing.GOOD, 2_000, 4, 1);
    model.at(0, map);
    long[] most = {0};
    model.run(() -> most[0] = Math.max(most[0], map.held(MemoryKind.SORT)));
    Property.ALONE.check(most[0] >= 0.95 * 1024 / 2, () -> "most that a lone map had: " + most[0]);
  }

  /** One that has taken all and ignores everything; who comes then gets a step. */
  static void newcomer(Function<Long, MemoryLedger> maker) {
    LedgerModel model = new LedgerModel(maker, 1024, new Random(1));
    model.disk(100, 0, Long.MAX_VALUE);
    ModelMap hoarder = new ModelMap(model, "hoarder", Hearing.NONE, 4_000, 4, 1);
    ModelMap other = new ModelMap(model, "hoarder", Hearing.NONE, 4_000, 4, 1);
    model.at(0, hoarder);
    model.at(0, other);
    ModelMap newcomer = new ModelMap(model, "newcomer", Hearing.GOOD, 100, 4, 1);
    model.time.in(2_500, () -> hoarder.frozen = true);
    model.time.in(2_500, () -> other.frozen = true);
    model.at(3_000, newcomer);
    long[] most = {0};
    model.run(() -> most[0] = Math.max(most[0], newcomer.held(MemoryKind.SORT)));
    Property.NEWCOMER.check(most[0] >= 16, () -> "most that a newcomer had: " + most[0]);
  }

  /** Two applications of one map each, of which one was there first. */
  static void equals(Function<Long, MemoryLedger> maker, String first, String second) {
    LedgerModel model = new LedgerModel(maker, 1024, new Random(1));
    model.disk(100, 0, Long.MAX_VALUE);
    // What their runs hold until they commit is no sort buffer's: they write nothing here.
    ModelMap[] maps = {
      new ModelMap(model, first, Hearing.GOOD, 10_000, 2, 0),
      new ModelMap(model, second, Hearing.GOOD, 10_000, 2, 0)
    };
    model.at(0, maps[0]);
    model.at(4_000, maps[1]);
    long[] sums = {0, 0};
    model.run(
        () -> {
          if (model.time.nowMs() > 24_000 && maps[0].alive && maps[1].alive) {
            sums[0] += maps[0].held(MemoryKind.SORT);
            sums[1] += maps[1].held(MemoryKind.SORT);
          }
        });
    Property.EQUAL.check(
        sums[0] > 0 && Math.abs(sums[0] - sums[1]) <= 0.2 * Math.max(sums[0], sums[1]),
        () -> sums[0] + " and " + sums[1]);
  }

  /** One has taken all and fills it slowly; who comes then has its share soon all the same. */
  static void slow(Function<Long, MemoryLedger> maker) {
    LedgerModel model = new LedgerModel(maker, 1024, new Random(1));
    model.disk(100, 0, Long.MAX_VALUE);
    ModelMap slow = new ModelMap(model, "slow", Hearing.GOOD, 2_000, 4, 0);
    ModelMap quick = new ModelMap(model, "quick", Hearing.GOOD, 8_000, 4, 0);
    model.at(0, slow);
    model.time.in(1_000, () -> slow.tickMs = 3_000);
    model.at(4_000, quick);
    model.time.in(24_000, slow::leave);
    long[] most = {0};
    model.run(
        () -> {
          if (slow.alive) {
            most[0] = Math.max(most[0], quick.held(MemoryKind.SORT));
          }
        });
    Property.EQUAL.check(
        most[0] >= 0.8 * 1024 / 4, () -> "most that the quick one had: " + most[0]);
  }

  /** One that ignores notices and goes on asking. */
  static void late(Function<Long, MemoryLedger> maker) {
    LedgerModel model = new LedgerModel(maker, 1024, new Random(1));
    model.disk(400, 0, Long.MAX_VALUE);
    model.at(0, new ModelReduce(model, "deaf", Hearing.DEAF, 250));
    for (int i = 0; i < 30; i++) {
      model.at(i * 700L, new ModelMap(model, "maps-" + i % 2, Hearing.GOOD, 300, 4, 1));
    }
    model.run(() -> {});
    Property.LATE.check(model.lates > 0, () -> "nobody was late");
  }

  /** Sort buffers hold their claims, and two that come want more than is kept free for them. */
  static void claims(Function<Long, MemoryLedger> maker) {
    LedgerModel model = new LedgerModel(maker, 256, new Random(1));
    model.disk(8, 0, Long.MAX_VALUE);
    model.found("old", 8, 15);
    for (int i = 0; i < 2; i++) {
      ModelMap map = new ModelMap(model, "maps", Hearing.GOOD, 200, 4, 1);
      model.at(0, map);
      model.time.in(60, () -> map.tickMs = 1_000); // once it has its claim
      model.at(100, new ModelMap(model, "new-" + i, Hearing.GOOD, 200, 4, 1));
    }
    model.time.in(30_000, () -> model.end("old"));
    model.run(() -> {});
  }

  /** What a reduce holds and what a map was lent, and maps that come want to sort in it. */
  static void received(Function<Long, MemoryLedger> maker) {
    LedgerModel model = new LedgerModel(maker, 1024, new Random(1));
    model.disk(100, 0, Long.MAX_VALUE);
    model.at(0, new ModelReduce(model, "reduces", Hearing.GOOD, 60));
    ModelMap lent = new ModelMap(model, "lent", Hearing.GOOD, 2_000, 4, 0);
    model.at(0, lent);
    model.time.in(300, () -> lent.tickMs = 1_000); // it asks for no more soon
    for (int i = 0; i < 12; i++) { // none of them for a loan
      model.at(2_500, new ModelMap(model, "maps", Hearing.GOOD, 32, 1, 0));
    }
    model.time.in(20_000, lent::leave);
    model.run(() -> {});
    Property.LOANS_AFTER_RECEIVED.check(
        model.ledger.stats().revokedBytes().containsKey(MemoryKind.RECEIVE),
        () -> "nothing came back");
  }

  /** Without a disk a map has been lent nearly all, and another one wants to write. */
  static void lastResort(Function<Long, MemoryLedger> maker) {
    LedgerModel model = new LedgerModel(maker, 1024, new Random(1));
    model.disk(0, 0, 0);
    model.lendsWithoutDisk = true;
    ModelMap lent = new ModelMap(model, "lent", Hearing.GOOD, 2_000, 4, 0);
    model.at(0, lent);
    model.time.in(1_000, () -> lent.tickMs = 3_000);
    ModelMap writer = new ModelMap(model, "writer", Hearing.GOOD, 300, 10, 1).withOwn(300);
    model.at(2_000, writer);
    model.time.in(20_000, lent::leave);
    long[] most = {0};
    model.run(() -> most[0] = Math.max(most[0], writer.held(MemoryKind.WRITING)));
    Property.LAST_RESORT.check(most[0] == 300, () -> "most that it had to write: " + most[0]);
  }

  /** All that is told, and so many that are drawn from a seed. */
  static void all(Function<Long, MemoryLedger> maker, long seed, int schedules) {
    alone(maker);
    newcomer(maker);
    claims(maker);
    slow(maker);
    late(maker);
    received(maker);
    lastResort(maker);
    equals(maker, "app-1", "app-2");
    equals(maker, "app-1", "app-1");
    for (int i = 0; i < schedules; i++) {
      try {
        random(maker, seed + i);
      } catch (Property.Broken e) {
        throw new Property.Broken(e.property(), "schedule " + i + ": " + e.getMessage());
      }
    }
  }
}
