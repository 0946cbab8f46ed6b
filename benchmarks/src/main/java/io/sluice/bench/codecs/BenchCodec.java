package io.sluice.bench.codecs;

/** What runs are compressed with. Hadoop's classes have names only: the command line has none. */
public enum BenchCodec {
  /** Not at all. */
  NONE("none", ""),
  SNAPPY("Snappy", "SnappyCodec"),
  LZ4("LZ4", "Lz4Codec"),
  /** Without Hadoop's native library, by that of the JDK. */
  ZLIB("zlib", "DefaultCodec"),
  /** Of which Hadoop has a native implementation alone. */
  ZSTANDARD("Zstandard", "ZStandardCodec");

  private final String title;
  private final String simpleName;

  BenchCodec(String title, String simpleName) {
    this.title = title;
    this.simpleName = simpleName;
  }

  /** As people read it. */
  String title() {
    return title;
  }

  /** Hadoop's class; empty for none. */
  String className() {
    return simpleName.isEmpty() ? "" : "org.apache.hadoop.io.compress." + simpleName;
  }
}
