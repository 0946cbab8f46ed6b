package io.sluice.tools.site;

import io.sluice.tools.doctor.Finding;
import io.sluice.tools.site.SiteConf.Property;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Checks whether the containers of maps and reduces have room for Sluice's memory outside the heap,
 * by the table of docs/task-memory.md. That room is the container, less the largest heap, less the
 * JVM's own memory, less mapped pages of the pool and the codec's memory. A reduce is assumed to
 * read over two transports.
 *
 * @param conf the cluster's configuration
 */
record Containers(SiteConf conf) {
  static final int JVM_MB = 128;
  static final int LEAST_MB = 32;
  static final int LEAST_BUFFER_MB = 16;
  static final int MOST_MAPPED_MB = 128;
  static final int MAPPED_SHARE = 4;
  static final int MOST_CODEC_MB = 64;
  static final int CODEC_SHARE = 8;

  /** A map maps one extent while it sorts, and more extents after that. */
  static final int EXTENT_SHARE = 4;

  static final int MOST_TRANSPORTS = 2;

  /**
   * Memory of Hadoop's codecs outside the heap with default settings; that of bzip2 is on the heap.
   */
  static final Map<String, Integer> CODEC_MB =
      Map.of(
          "DefaultCodec", 1,
          "DeflateCodec", 1,
          "GzipCodec", 1,
          "SnappyCodec", 2,
          "Lz4Codec", 2,
          "ZStandardCodec", 15,
          "BZip2Codec", 0);

  static final int UNKNOWN_CODEC_MB = 11;

  /** Memory of their compressors outside the heap; 1 for codecs that are not listed. */
  static final Map<String, Integer> COMPRESSOR_MB = Map.of("ZStandardCodec", 6, "BZip2Codec", 0);

  private static final int DEFAULT_CONTAINER_MB = 1_024;
  private static final float DEFAULT_HEAP_RATIO = 0.8f;
  private static final String HEAP_RATIO = "mapreduce.job.heap.memory-mb.ratio";
  private static final String SORT_MB = "mapreduce.task.io.sort.mb";
  private static final int DEFAULT_SORT_MB = 100;
  private static final String WINDOWS_MB = "sluice.reduce.buffer-mb";
  private static final int DEFAULT_WINDOWS_MB = 64;
  private static final String OPTIONS = "mapred.child.java.opts";
  private static final String COMPRESS = "mapreduce.map.output.compress";
  private static final String CODEC = "mapreduce.map.output.compress.codec";
  private static final String CODECS = "org.apache.hadoop.io.compress.";

  List<Finding> look() {
    int sortMb = conf.number(SORT_MB, DEFAULT_SORT_MB).orElse(DEFAULT_SORT_MB);
    int windowsMb = conf.number(WINDOWS_MB, DEFAULT_WINDOWS_MB).orElse(DEFAULT_WINDOWS_MB);
    return List.of(
        look(
            "map", SORT_MB, sortMb, "its sort buffer gets %s MiB beside %s, and it spills earlier"),
        look(
            "reduce",
            WINDOWS_MB,
            windowsMb,
            "its windows get %s MiB for each of two transports beside %s"));
  }

  /**
   * Checks one kind of task.
   *
   * @param wantedMb the value of the setting
   * @param consequence of too little room, with placeholders for the size of the buffer and for the
   *     memory beside it
   */
  private Finding look(String task, String setting, int wantedMb, String consequence) {
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
    long neededMb = neededMb(task, wantedMb);
    if (roomMb < neededMb) {
      return Finding.problem(
          subject,
          what,
          "%s is %s; %s"
              .formatted(
                  setting,
                  wantedMb,
                  consequence.formatted(bufferMb(task, Math.max(LEAST_MB, roomMb)), others())),
          remedy(memoryName, setMb > 0, containerMb, optionsName, setHeapMb, heapMb, neededMb));
    }
    Optional<Long> directMb = option(options, "-XX:MaxDirectMemorySize=");
    long directNeededMb = (task.equals("map") ? wantedMb * 4L + 2 : wantedMb * 12L) / 3;
    return directMb.filter(mb -> mb < directNeededMb).isPresent()
        ? Finding.problem(
            conf.get(optionsName).or(() -> conf.get(OPTIONS)).orElseThrow().where(),
            "limits a %s to %s MiB of direct memory".formatted(task, directMb.get()),
            "%s is %s, and is direct memory".formatted(setting, wantedMb),
            "set -XX:MaxDirectMemorySize=%sm at least, or remove it".formatted(directNeededMb))
        : Finding.ok(subject, what + ", enough for %s=%s".formatted(setting, wantedMb));
  }

  /** The least room in which the buffer has the wanted size. */
  private long neededMb(String task, int wantedMb) {
    long roomMb = Math.max(LEAST_MB, wantedMb);
    while (bufferMb(task, roomMb) < wantedMb) {
      roomMb++;
    }
    return roomMb;
  }

  /**
   * The part of a room that is left for a sort buffer, or for the windows of one of two transports.
   */
  private long bufferMb(String task, long roomMb) {
    if (task.equals("map")) {
      long extentMb =
          Math.min(MOST_MAPPED_MB / EXTENT_SHARE, ceiling(roomMb, MAPPED_SHARE * EXTENT_SHARE));
      return Math.max(LEAST_BUFFER_MB, roomMb - extentMb - compressorMb());
    }
    long mappedMb = Math.min(MOST_MAPPED_MB, ceiling(roomMb, MAPPED_SHARE));
    long leastCodecMb = codecMb();
    long codecMb =
        leastCodecMb == 0
            ? 0
            : Math.max(leastCodecMb, Math.min(MOST_CODEC_MB, ceiling(roomMb, CODEC_SHARE)));
    return Math.max(LEAST_BUFFER_MB, roomMb - mappedMb - codecMb) / MOST_TRANSPORTS;
  }

  private static long ceiling(long mb, int share) {
    return (mb + share - 1) / share;
  }

  private String others() {
    return codecMb() == 0 ? "mapped pages of the pool" : "mapped pages of the pool and the codec";
  }

  /** The memory that the job's codec needs; 0 without a codec. */
  private int codecMb() {
    return ofCodec(CODEC_MB, UNKNOWN_CODEC_MB);
  }

  private int compressorMb() {
    return ofCodec(COMPRESSOR_MB, 1);
  }

  private int ofCodec(Map<String, Integer> ofHadoops, int otherMb) {
    if (!conf.get(COMPRESS, "false").equalsIgnoreCase("true")) {
      return 0;
    }
    String codec = conf.get(CODEC, CODECS + "DefaultCodec");
    return codec.startsWith(CODECS)
        ? ofHadoops.getOrDefault(codec.substring(CODECS.length()), otherMb)
        : otherMb;
  }

  /**
   * Proposes a smaller heap, or a larger container. Hadoop derives the one from the other where
   * only one is set, so the remedy names both.
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

  /** The share of a container that is heap, where only one of them is set. */
  private float ratio() {
    try {
      return Float.parseFloat(conf.get(HEAP_RATIO, "" + DEFAULT_HEAP_RATIO));
    } catch (NumberFormatException e) {
      return DEFAULT_HEAP_RATIO;
    }
  }

  /** A size among JVM options, in MiB; the last option of a name counts. */
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
