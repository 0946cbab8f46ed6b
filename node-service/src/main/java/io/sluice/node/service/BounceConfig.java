package io.sluice.node.service;

/**
 * How much memory each transport may register to serve segments that it cannot register.
 *
 * @param slotBytes length of one slot, the most that is read at once
 * @param slots how many there are; 0 for none, so that such segments are left to other transports
 */
record BounceConfig(int slotBytes, int slots) {
  /** The length that fits readers' windows. */
  static final int DEFAULT_SLOT_BYTES = 1 << 20;

  BounceConfig {
    if (slotBytes <= 0 || slots < 0 || (long) slotBytes * slots > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "bounce buffers of "
              + slots
              + " slots of "
              + slotBytes
              + " bytes; expected slots of at least 1 byte, less than 2 GiB in all");
    }
  }

  int totalBytes() {
    return slotBytes * slots;
  }
}
