//! A STAND-IN for the block codec, with its interface and nothing of its compression: to be replaced.

/// How the symbols of a plane are coded.
pub(crate) struct Model {
    alphabet: usize,
    hint_alphabet: usize,
}

/// Bytes that no encoder wrote.
#[derive(Debug)]
pub(crate) struct Corrupt;

/// The symbols of one block.
pub(crate) struct Block<'a> {
    pub(crate) symbols: &'a [u16],
    pub(crate) free: Option<&'a [bool]>,
    pub(crate) hints: Option<&'a [u16]>,
}

impl Model {
    pub(crate) fn fit(alphabet: usize, hint_alphabet: usize, blocks: &[Block<'_>]) -> Self {
        for block in blocks {
            assert!(block.hints.is_none_or(|hints| hints.len() == block.symbols.len()));
        }
        Self { alphabet, hint_alphabet }
    }

    pub(crate) fn fill(&self, block: &Block<'_>) -> Vec<u16> {
        let mut last = 0;
        let free = |i: usize| block.free.is_some_and(|free| free[i]);
        block
            .symbols
            .iter()
            .enumerate()
            .map(|(i, &symbol)| {
                last = if free(i) && last <= symbol { last } else { symbol };
                last
            })
            .collect()
    }

    /// What is added to the symbol, so that wrong hints give wrong symbols.
    fn shift(&self, hints: Option<&[u16]>, i: usize) -> Result<usize, Corrupt> {
        let Some(hints) = hints else { return Ok(0) };
        let hint = usize::from(*hints.get(i).ok_or(Corrupt)?);
        if hint < self.hint_alphabet { Ok(hint) } else { Err(Corrupt) }
    }

    pub(crate) fn encode(&self, stored: &[u16], hints: Option<&[u16]>) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (i, &symbol) in stored.iter().enumerate() {
            let shift = self.shift(hints, i).expect("hints are of their alphabet");
            let mut number = (usize::from(symbol) + shift) % self.alphabet;
            while number >= 128 {
                bytes.push(number as u8 | 128);
                number >>= 7;
            }
            bytes.push(number as u8);
        }
        bytes
    }

    fn decode_some<'a>(
        &self,
        mut bytes: &'a [u8],
        hints: Option<&[u16]>,
        out: &mut [u16],
    ) -> Result<&'a [u8], Corrupt> {
        for (i, symbol) in out.iter_mut().enumerate() {
            let mut number = 0;
            for shift in [0, 7, 14] {
                let (&byte, rest) = bytes.split_first().ok_or(Corrupt)?;
                bytes = rest;
                number |= usize::from(byte & 127) << shift;
                if byte < 128 {
                    break;
                }
            }
            if number >= self.alphabet {
                return Err(Corrupt);
            }
            let shift = self.shift(hints, i)? % self.alphabet;
            *symbol = ((number + self.alphabet - shift) % self.alphabet) as u16;
        }
        Ok(bytes)
    }

    pub(crate) fn decode(&self, bytes: &[u8], hints: Option<&[u16]>, out: &mut [u16]) -> Result<(), Corrupt> {
        if self.decode_some(bytes, hints, out)?.is_empty() { Ok(()) } else { Err(Corrupt) }
    }

    pub(crate) fn decode_prefix(
        &self,
        bytes: &[u8],
        hints: Option<&[u16]>,
        out: &mut [u16],
    ) -> Result<(), Corrupt> {
        self.decode_some(bytes, hints, out).map(|_| ())
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        [self.alphabet as u32, self.hint_alphabet as u32].iter().flat_map(|n| n.to_le_bytes()).collect()
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, Corrupt> {
        let bytes: [u8; 8] = bytes.try_into().map_err(|_| Corrupt)?;
        let number = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let (alphabet, hint_alphabet) = (number(0) as usize, number(4) as usize);
        if alphabet == 0 || alphabet > 1 << 16 || hint_alphabet > 1 << 16 {
            return Err(Corrupt);
        }
        Ok(Self { alphabet, hint_alphabet })
    }
}
