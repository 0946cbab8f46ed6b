/**
 * The queue of a block device: which request reads or writes next, in units large enough to be
 * sequential. It knows no store and no transport.
 */
package io.sluice.spill.disk;
