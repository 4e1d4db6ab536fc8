//! x
/// x
pub fn parse(_: &[u8]) -> Result<Vec<super::FileChange>, String> {
    Err("not yet".to_owned())
}
