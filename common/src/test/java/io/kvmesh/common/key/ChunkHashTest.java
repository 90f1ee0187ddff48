package io.kvmesh.common.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ChunkHashTest {

  @Test
  void parse_formatted_isTheSame() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < 10_000; i++) {
      long bits =
          i < 4 ? List.of(0L, 1L, Long.MAX_VALUE, Long.MIN_VALUE).get(i) : random.nextLong();
      for (ChunkHash hash : List.of(ChunkHash.ofSigned(bits), ChunkHash.ofUnsigned(bits))) {
        ChunkHash parsed = ChunkHash.parse(hash.toString());
        assertThat(parsed).as("seed %d, %s", seed, hash).isEqualTo(hash);
        assertThat(parsed.toString()).isEqualTo(hash.toString());
        assertThat(parsed.bits()).isEqualTo(bits);
      }
    }
  }

  @Test
  void equals_signedAndUnsignedOfSameBits_oneHashWithTwoTexts() {
    ChunkHash signed = ChunkHash.ofSigned(-1);
    ChunkHash unsigned = ChunkHash.ofUnsigned(-1);

    assertThat(signed).isEqualTo(unsigned).hasSameHashCodeAs(unsigned);
    assertThat(signed).hasToString("-1");
    assertThat(unsigned).hasToString("ffffffffffffffff");
  }

  /** A hash that were narrowed anywhere would merge these. */
  @Test
  void equals_hashesThatNarrowingWouldMerge_allDistinct() {
    for (long h : new long[] {7, 0x6b9e34824ade1095L, -8655844216579489799L}) {
      Set<ChunkHash> hashes =
          Set.of(
              ChunkHash.ofUnsigned(h),
              ChunkHash.ofUnsigned(h + (1L << 32)),
              ChunkHash.ofUnsigned(h + (1L << 53)),
              ChunkHash.ofUnsigned(h ^ (1L << 63)));
      assertThat(hashes).hasSize(4);
    }
  }

  @Test
  void parse_upperCaseAndLeadingZeros_normalised() {
    assertThat(ChunkHash.parse("00FF")).hasToString("ff").isEqualTo(ChunkHash.ofUnsigned(255));
    assertThat(ChunkHash.parse("-8000000000000000").bits()).isEqualTo(Long.MIN_VALUE);
    assertThat(ChunkHash.parse("-8000000000000000")).hasToString("-8000000000000000");
    assertThat(ChunkHash.parse("-0")).hasToString("0");
  }

  @Test
  void ofBytes_wide_comparedWholeAndIndexedByItsFirstEightBytes() {
    byte[] digest = HexFormat.of().parseHex("0102030405060708" + "00".repeat(23) + "01");
    byte[] other = HexFormat.of().parseHex("0102030405060708" + "00".repeat(23) + "02");
    ChunkHash wide = ChunkHash.ofBytes(digest);

    assertThat(wide.isWide()).isTrue();
    assertThat(wide.bits()).isEqualTo(0x0102030405060708L);
    assertThat(wide).isNotEqualTo(ChunkHash.ofBytes(other));
    assertThat(wide).isNotEqualTo(ChunkHash.ofUnsigned(0x0102030405060708L));
    assertThat(wide).hasToString(HexFormat.of().formatHex(digest));
    assertThat(ChunkHash.parse(wide.toString())).isEqualTo(wide);
  }

  /** LMCache's own parser makes an integer of a digest and drops the zeros that it starts with. */
  @Test
  void parse_wideWithoutItsLeadingZeros_isTheSameHash() {
    String full = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
    for (String text : List.of(full, full.substring(1), full.substring(2), full.substring(3))) {
      assertThat(ChunkHash.parse(text)).isEqualTo(ChunkHash.parse(full)).hasToString(full);
    }
    assertThat(ChunkHash.ofBytes(new byte[8])).isEqualTo(ChunkHash.ofUnsigned(0));
    assertThat(ChunkHash.ofBytes(new byte[64]).isWide()).isTrue();
  }

  @Test
  void parse_noHash_refusedWithTheText() {
    for (String text :
        List.of(
            "",
            "-",
            "xyz",
            "0x1f",
            "1f ",
            "+1",
            "1_0",
            "-ffffffffffffffff",
            "-8000000000000001",
            "-" + "1".repeat(17),
            "1".repeat(129),
            "１２")) {
      assertThatThrownBy(() -> ChunkHash.parse(text))
          .isInstanceOf(KeyFormatException.class)
          .hasMessageContaining("'" + (text.length() > 120 ? text.substring(0, 120) : text));
    }
    assertThatThrownBy(() -> ChunkHash.ofBytes(new byte[7])).isInstanceOf(KeyFormatException.class);
    assertThatThrownBy(() -> ChunkHash.ofBytes(new byte[65]))
        .isInstanceOf(KeyFormatException.class);
  }
}
