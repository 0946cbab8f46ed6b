package io.sluice.tools.site;

import io.sluice.tools.doctor.Finding;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Whether the containers of maps and reduces have room for what Sluice takes outside the heap, by
 * the table of docs/sizing.md: the container, less the largest heap, less what a JVM takes besides.
 *
 * @param conf the cluster's
 */
record Containers(SiteConf conf) {
  static final int JVM_MB = 128;
  static final int LEAST_MB = 32;

  private static final int DEFAULT_CONTAINER_MB = 1_024;
  private static final float DEFAULT_HEAP_RATIO = 0.8f;
  private static final String HEAP_RATIO = "mapreduce.job.heap.memory-mb.ratio";
  private static final String SORT_MB = "mapreduce.task.io.sort.mb";
  private static final int DEFAULT_SORT_MB = 100;
  private static final String WINDOWS_MB = "sluice.reduce.buffer-mb";
  private static final int DEFAULT_WINDOWS_MB = 64;
  private static final String OPTIONS = "mapred.child.java.opts";

  List<Finding> look() {
    int sortMb = conf.number(SORT_MB, DEFAULT_SORT_MB).orElse(DEFAULT_SORT_MB);
    int windowsMb = conf.number(WINDOWS_MB, DEFAULT_WINDOWS_MB).orElse(DEFAULT_WINDOWS_MB);
    return List.of(
        look("map", SORT_MB, sortMb, 1, "its sort buffer is that large, and it spills earlier"),
        look("reduce", WINDOWS_MB, windowsMb, 2, "its windows take half of that"));
  }

  /**
   * One kind of task.
   *
   * @param wantedMb what it would take
   * @param share of the room that it takes is one in so many
   */
  private Finding look(String task, String setting, int wantedMb, int share, String consequence) {
    String memoryName = "mapreduce.%s.memory.mb".formatted(task);
    String optionsName = "mapreduce.%s.java.opts".formatted(task);
    String options = conf.get(optionsName, conf.get(OPTIONS, ""));
    Optional<Long> setHeapMb = option(options, "-Xmx");
    float ratio = ratio();
    int setMb = conf.number(memoryName, -1).orElse(-1);
    long containerMb =
        setMb > 0
            ? setMb
            : setHeapMb.map(mb -> (long) Math.ceil(mb / ratio)).orElse((long) DEFAULT_CONTAINER_MB);
    long heapMb = setHeapMb.orElse((long) Math.ceil(containerMb * ratio));
    long roomMb = containerMb - heapMb - JVM_MB;
    String what =
        "a %s has %s MiB and a heap of %s MiB".formatted(task, containerMb, heapMb)
            + "; that leaves %s MiB beside %s for its JVM".formatted(Math.max(0, roomMb), JVM_MB);
    String subject =
        conf.get(memoryName)
            .or(() -> conf.get(optionsName))
            .map(Property::where)
            .orElse(memoryName);
    long neededMb = (long) wantedMb * share;
    if (roomMb < neededMb) {
      return Finding.problem(
          subject,
          what,
          "%s is %s; %s (%s MiB at least)".formatted(setting, wantedMb, consequence, LEAST_MB),
          remedy(memoryName, setMb > 0, containerMb, optionsName, setHeapMb, heapMb, neededMb));
    }
    Optional<Long> directMb = option(options, "-XX:MaxDirectMemorySize=");
    long directNeededMb = (task.equals("map") ? wantedMb * 4L + 2 : wantedMb * 12L) / 3;
    return directMb.filter(mb -> mb < directNeededMb).isPresent()
        ? Finding.problem(
            conf.get(optionsName).or(() -> conf.get(OPTIONS)).orElseThrow().where(),
            "lets a %s have %s MiB of direct memory".formatted(task, directMb.get()),
            "%s is %s, and lies there".formatted(setting, wantedMb),
            "-XX:MaxDirectMemorySize=%sm at least, or take it out".formatted(directNeededMb))
        : Finding.ok(subject, what + ", enough for %s=%s".formatted(setting, wantedMb));
  }

  /**
   * A smaller heap, or a larger container. Of what is not set, Hadoop makes the one of the other,
   * so that both are to be written.
   */
  private static String remedy(
      String memoryName,
      boolean isMemorySet,
      long containerMb,
      String optionsName,
      Optional<Long> setHeapMb,
      long heapMb,
      long neededMb) {
    String sameContainer = isMemorySet ? "" : "%s=%s and ".formatted(memoryName, containerMb);
    String sameHeap =
        setHeapMb.isPresent() ? "" : "-Xmx%sm in %s and ".formatted(heapMb, optionsName);
    String largerContainer = "%s%s=%s".formatted(sameHeap, memoryName, heapMb + JVM_MB + neededMb);
    long smallerHeapMb = containerMb - JVM_MB - neededMb;
    return smallerHeapMb <= 0
        ? largerContainer
        : "%s-Xmx%sm in %s, or %s"
            .formatted(sameContainer, smallerHeapMb, optionsName, largerContainer);
  }

  /** What a heap is of its container where only one of them is set. */
  private float ratio() {
    try {
      return Float.parseFloat(conf.get(HEAP_RATIO, "" + DEFAULT_HEAP_RATIO));
    } catch (NumberFormatException e) {
      return DEFAULT_HEAP_RATIO;
    }
  }

  /** A size among Java's options, in MiB; the last of its kind counts. */
  private static Optional<Long> option(String options, String name) {
    Matcher matcher = Pattern.compile(name + "(\\d+)([kKmMgGtT]?)").matcher(options);
    Optional<Long> mb = Optional.empty();
    while (matcher.find()) {
      String unit = matcher.group(2).toLowerCase(Locale.ROOT);
      int power = unit.isEmpty() ? 0 : 1 + "kmgt".indexOf(unit);
      mb = Optional.of((Long.parseLong(matcher.group(1)) << (10 * power)) >> 20);
    }
    return mb;
  }
}
