package io.sluice.bench.local;

/** How large an input is; for a machine of two cores, as Hone's were for one of sixteen. */
public enum HoneSize {
  SMALL,
  MEDIUM,
  LARGE
}
