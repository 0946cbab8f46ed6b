/**
 * The one schedule of a block device: who reads or writes it next, in units large enough to be
 * sequential. Knows no store and no transport.
 */
package io.sluice.spill.disk;
